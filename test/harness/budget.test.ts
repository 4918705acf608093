/** What the model gets before the user's first word, counted with the o200k tokenizer in an empty folder. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { createWorld } from '../support/rein.ts';

/** The system text and the tools as they were sent, without the marks for the cache, which no model reads. */
async function weigh(...flags: string[]): Promise<{ tokens: number; requests: number }> {
  const world = await createWorld([{ text: 'hello' }]);
  await world.rein(['-p', 'hi', ...flags]);
  const body = JSON.parse(Buffer.from(world.server.requests[0]?.raw ?? '').toString());
  const system: string = body.system.map(({ text }: { text: string }) => text).join('');
  const tools = JSON.stringify(body.tools, (key, value) => (key === 'cache_control' ? undefined : value));
  return { tokens: countTokens(system) + countTokens(tools), requests: world.server.requests.length };
}

test('the first request of the standard tools weighs at most 1,000 tokens, and is the only one', async () => {
  const { tokens, requests } = await weigh();
  expect(tokens).toBeLessThanOrEqual(1000);
  expect(requests).toBe(1);
});

test('the first request with --tools bash weighs at most 250 tokens', async () => {
  expect((await weigh('--tools', 'bash')).tokens).toBeLessThanOrEqual(250);
});
