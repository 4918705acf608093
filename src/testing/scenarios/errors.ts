import type { Asked, Turn } from '../turn.ts';

/** What went wrong for real users, one word each. The prompt `fail WORD` plays it; any other prompt lists the words. */
const failures: Readonly<Record<string, Turn>> = {
  auth: { status: 401, message: 'invalid x-api-key' },
  request: { status: 400, message: 'scripted bad request' },
  model: { status: 404, message: 'model: no such model' },
  rate: { status: 429, headers: { 'retry-after': '1' }, message: 'rate limit reached' },
  quota: { status: 429, headers: { 'retry-after': '86400' }, message: 'daily quota used up' },
  overloaded: { status: 529, message: 'Overloaded' },
  overflow: { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' },
  html: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>captive portal</body></html>' },
  hang: { fail: 'hang' },
  reset: { fail: 'reset' },
  close: { fail: 'close' },
  stall: { text: 'a first word, then silence', cut: { after: 4, how: 'hang' } },
  cut: { text: 'half an answer that the connection cuts', cut: { after: 4, how: 'close' } },
  busy: { text: 'half an answer, then an overload', cut: { after: 4, how: 'error' } },
  empty: {},
  length: { text: 'an answer that the output limit', stop: 'length' },
  refused: { text: '', stop: 'refused' },
};

export const errorScenario = ({ prompt }: Asked): Turn => {
  const word = /fail ([a-z]+)/.exec(prompt)?.[1];
  return failures[word ?? ''] ?? { text: `Say "fail WORD". The words: ${Object.keys(failures).join(', ')}.` };
};
