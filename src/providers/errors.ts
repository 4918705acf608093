import type { Failure } from '../core/types.ts';
import type { Reported } from './draft.ts';

/** Who was asked, for the sentences; `key` only so that it can be kept out of them. */
export type Asked = {
  readonly vendor: string;
  readonly model: string;
  readonly host: string;
  /** Names of environment variables. */
  readonly keys: readonly string[];
  readonly key: string;
};

/** Trying again can help. Everything else stays as it is until a person, or a compaction, changes something. */
export const isRetryable = ({ kind }: Failure): boolean =>
  kind === 'rate' || kind === 'overloaded' || kind === 'network' || kind === 'stream' || kind === 'empty';

const OVERFLOW = [
  /prompt is too long/,
  /context_length_exceeded|context_window_exceeded|context.?window/,
  /maximum context length|max(imum)?.{0,12}context/,
  /exceeds? the (available |model'?s? )?(maximum )?context/,
  /context (size|length|limit) (exceeded|has been exceeded)|exceed(s|ed)? (the )?context (size|length|limit)/,
  /input (token count|length|is too long)/,
  /requested token count exceeds/,
  /(prompt|input|request|messages?) (tokens? )?(is |are |has )?too (long|large|many tokens)/,
  /(prompt|input|request|messages?) (tokens? )?exceeds? the (maximum|limit)/,
  /too many (input )?tokens(?! per)/,
  /request_too_large|request entity too large|payload too large/,
  /reduce the length of (the messages|your (input|prompt))/,
  /greater than the context length|larger than the context/,
];

const isOverflow = (said: string): boolean => OVERFLOW.some((pattern) => pattern.test(said));

/** Names an error by its status, else by its words. */
export function classify(reported: Reported, asked: Asked): Failure {
  const said = `${reported.code ?? ''} ${reported.message}`.toLowerCase();
  const status = reported.status;
  const kind = kindOf(status, said);
  const failure = { kind, message: mask(sentence(kind, reported, asked), asked.key) };
  return {
    ...failure,
    ...(status === undefined ? {} : { status }),
    ...(reported.retryAfter === undefined ? {} : { retryAfter: reported.retryAfter }),
  };
}

function kindOf(status: number | undefined, said: string): Failure['kind'] {
  if (status === 402 || /insufficient_quota|billing|credit balance|insufficient (balance|credits)/.test(said))
    return 'auth';
  if (status === 429) return 'rate';
  if (status === 413) return 'overflow';
  if (status === 401 || status === 403) return 'auth';
  if (
    status === 529 ||
    status === 408 ||
    status === 409 ||
    (status !== undefined && status >= 500 && !isOverflow(said))
  ) {
    return 'overloaded';
  }
  if (/rate_limit|rate limit|too many requests|resource_exhausted/.test(said)) return 'rate';
  if (/overloaded|unavailable|capacity/.test(said)) return 'overloaded';
  if (isOverflow(said)) return 'overflow';
  if (isUnknownModel(status, said)) return 'model';
  if (/authentication_error|invalid_api_key|permission_error|unauthorized/.test(said)) return 'auth';
  if (status !== undefined || /invalid_request|invalid_prompt|invalid_argument|bad_request|policy/.test(said))
    return 'request';
  // Inside a stream an error without a name is one of the server's own.
  return 'overloaded';
}

const isUnknownModel = (status: number | undefined, said: string): boolean =>
  status === 404 ||
  /model_not_found|unknown model|invalid model|model .{0,80}(not found|does not exist|not exist)/.test(said);

function sentence(kind: Failure['kind'], { message, status, retryAfter, code }: Reported, asked: Asked): string {
  const { vendor, model, host, keys } = asked;
  const said = shorten(message || code || 'no reason given');
  const numbered = status === undefined ? said : `${status}: ${said}`;
  const variable = keys.length === 0 ? 'the key' : keys.join(' or ');
  const wait = retryAfter === undefined ? '' : ` It asks to wait ${duration(retryAfter)}.`;
  switch (kind) {
    case 'auth':
      return `${vendor} refused the key or account (${numbered}). Check ${variable} and the account.`;
    case 'model':
      return `${host} does not know the model ${model} (${numbered}). Check the model's name and the base URL.`;
    case 'rate':
      return `${vendor} limits the rate (${numbered}).${wait}`;
    case 'overloaded':
      return `${vendor} can't answer now (${numbered}).${wait}`;
    case 'overflow':
      return `The conversation is too long for ${model} (${numbered}). Compact it or start a new one.`;
    case 'request':
      if (/(does not|doesn.t|n.t) support (tools|tool use|tool calling|function)/i.test(said))
        return `${model} of ${vendor} can't call tools (${numbered}). Choose another model, or set models."${vendor}/${model}".textCalls to true: then its calls are read from its text.`;
      return `${vendor} refused the request (${numbered}).`;
    default:
      return `${vendor}: ${numbered}`;
  }
}

export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

const shorten = (said: string): string => {
  const line = said.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500).toWellFormed()} …` : line;
};

/** Servers quote the key they refuse. */
export const mask = (said: string, key: string): string =>
  (key.length < 6 ? said : said.replaceAll(key, '***')).replace(/\b(sk|pk|gsk|xai|key)-[A-Za-z0-9_-]{12,}/g, '$1-***');

/** A server sends more than any answer has. The message ends a sentence about its reply. */
export class Beyond extends Error {}

export const streamFailure = (host: string, what: string): Failure => ({
  kind: 'stream',
  message: `The reply of ${host} broke off: ${what}`,
});

export const emptyFailure = (name: string, stop: string): Failure => ({
  kind: 'empty',
  message: `${name} returned no answer${stop === '' ? '' : ` (stop: ${stop})`}. Ask again or use another model.`,
});

/** The system's own words about a lost connection. */
export function causeOf(error: unknown): string {
  const { code, message } = rootCause(error);
  const named = [code, message].filter((part) => part !== '' && part !== 'fetch failed');
  return named.join(': ') || 'no connection';
}

/** A request that never got an answer. The system's own code stands in the cause, often under several layers. */
export function networkFailure(error: unknown, host: string): Failure {
  const { code, message } = rootCause(error);
  const said = causeOf(error);
  if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS/.test(code)) {
    const message = `The certificate of ${host} is not trusted (${said}). Point NODE_EXTRA_CA_CERTS at the right one.`;
    return { kind: 'request', message };
  }
  if (
    /ERR_INVALID|ERR_UNSUPPORTED/.test(code) ||
    (error instanceof TypeError && code === '' && message !== 'terminated')
  ) {
    if (message !== 'fetch failed' && message !== '')
      return { kind: 'request', message: `Can't ask ${host}: ${said}.` };
  }
  return { kind: 'network', message: `No connection to ${host} (${said}). Check the network and the base URL.` };
}

function rootCause(error: unknown): { code: string; message: string } {
  let here = error;
  let code = '';
  let message = '';
  for (let depth = 0; depth < 6 && here instanceof Error; depth++) {
    if ('code' in here && typeof here.code === 'string' && code === '') code = here.code;
    if (here.message !== '') message = here.message;
    here = here instanceof AggregateError && here.errors.length > 0 ? here.errors[0] : here.cause;
  }
  return { code, message };
}
