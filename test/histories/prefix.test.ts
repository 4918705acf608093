/** Each request begins with the bytes of the one before, so a provider's cache can be of use; where it was not, it is said. */
import { expect, test } from 'vitest';
import type { Assistant, Json, Message } from '../../src/core/types.ts';
import type { Asked, Recorded, Turn } from '../../src/testing/index.ts';
import { bash, bodyOf, lastSaid } from '../support/rein.ts';
import { createWorld, everywhere, MODELS, type Open, turnsOf } from './world.ts';

const MARK = /,?"cache_control":\{"type":"ephemeral"\}/g;

/** What a provider's cache looks at, as text: all that stands before the turns, then the turns. */
function prefixOf(request: Recorded | undefined): { readonly head: string; readonly turns: string } {
  const body: Record<string, Json> = JSON.parse(bodyOf(request).replace(MARK, ''));
  // How much may be said is no part of the prompt.
  const {
    messages: _,
    input: __,
    max_tokens: ___,
    max_completion_tokens: ____,
    max_output_tokens: _____,
    ...head
  } = body;
  const turns = JSON.stringify(turnsOf(request)).replace(MARK, '').slice(0, -1);
  return { head: JSON.stringify(head), turns };
}

/** Every kind of turn: words, thinking, one call and several, failures, silence, broken arguments, a tool that is not there. */
function turnFor(asked: Asked, at: number): Turn {
  if (asked.rounds.length > 0) return { thinking: `seen ${at}`, text: `answer ${at}` };
  const forms: readonly Turn[] = [
    { text: `only words ${at}` },
    { thinking: `I think ${at}`, calls: [bash(`echo ${at}`)] },
    { text: 'I look.', calls: [bash(`echo ${at}`), { name: 'read_file', input: { path: 'a.txt' } }, bash('true')] },
    { calls: [bash(`exit ${(at % 9) + 1}`)] },
    { calls: [{ name: 'bash', arguments: '{"command": "touch' }] },
    { text: ['\n\n'], calls: [{ name: 'no_such', input: {} }] },
    { calls: [{ ...bash('echo 😀日本'), id: 'same:1' }] },
  ];
  return forms[at % forms.length] ?? { text: '' };
}

everywhere(
  'prefix',
  'over 50 turns each request begins with the bytes of the one before, through a resume and a fork',
  async (make, flavour) => {
    const world = await make((asked) => turnFor(asked, Number(lastSaid(asked).split(' ')[1])));
    world.put('a.txt', 'alpha\n');
    let turn = 0;
    const prompts = async ({ session, say }: Open, count: number) => {
      for (const end = turn + count; turn < end; turn++)
        expect([turn, (await say(`prompt ${turn}`)).stop]).toEqual([turn, 'done']);
      await session.close();
    };
    const first = await world.open();
    const { path } = first;
    await prompts(first, 18);
    // After an upgrade, or under other settings, a resumed session sends what it sent.
    const prompted = { prompts: { read_file: 'Other words.' }, appendSystemPrompt: 'Other words.' };
    await prompts(await world.open({ resume: path, settings: prompted }), 16);
    await prompts(await world.open({ resume: path, fork: true }), 16);
    const prefixes = world.server.requests.map(prefixOf);
    expect(prefixes.length).toBeGreaterThan(80);
    for (const [at, { head, turns }] of prefixes.slice(1).entries()) {
      expect([flavour, at, head]).toEqual([flavour, at, prefixes[at]?.head]);
      expect([flavour, at, turns.startsWith(prefixes[at]?.turns ?? '-')]).toEqual([flavour, at, true]);
    }
  },
);

// ── Where the cache was of no use ────────────────────────────────────────────────────────────────────────────────────

const user = (text: string): Message => ({ role: 'user', origin: 'person', content: [{ type: 'text', text }] });
const reply = (cacheWrite: number): Assistant => ({
  role: 'assistant',
  content: [{ type: 'text', text: 'ok' }],
  stop: 'done',
  model: MODELS.anthropic,
  usage: { input: 10, output: 5, cacheRead: 0, cacheWrite },
});
const ask = async () => ({ allow: true }) as const;

test.concurrent('the notice of a cache miss says how much, and why', async ({ onTestFinished }) => {
  const usage = { input: 100, output: 5, cacheWrite: 20_000 };
  const world = await createWorld(onTestFinished, 'anthropic', (asked) => ({
    text: asked.tools.length === 0 ? 'Notes of the work.' : 'ok',
    usage: lastSaid(asked) === 'hit' ? { input: 50, cacheRead: 20_000, cacheWrite: 100, output: 5 } : usage,
  }));
  const misses = ({ notices }: Open) => notices().filter((text) => text.includes('cache missed'));
  const open = await world.open({ ask });
  await open.say('first');
  await open.say('hit');
  expect(misses(open)).toEqual([]);
  await open.say('unknown');
  expect(misses(open)).toEqual([expect.stringMatching(/^The cache missed 20100 of 20100 tokens: no reason known/)]);
  open.session.setModel('anthropic/claude-opus-5-5');
  await open.say('another model');
  expect(misses(open)[1]).toBe('The cache missed 20000 of 20000 tokens: model changed.');
  // Headless runs are told nothing: whoever reads their stderr did not sit there.
  await open.session.close();
  const headless = await world.open({ resume: open.path });
  await headless.say('more');
  expect(misses(headless)).toEqual([]);
});

test.concurrent('a cache miss after more than five minutes, other tools, or a shortened history says so', async ({
  onTestFinished,
}) => {
  const usage = { input: 100, output: 5, cacheWrite: 20_000 };
  const world = await createWorld(onTestFinished, 'anthropic', () => ({ text: 'ok', usage }));
  const reopened = async (facts: Parameters<typeof world.craft>[0]) => {
    const path = await world.craft(facts);
    const open = await world.open({ resume: path, ask });
    await open.say('go');
    return open
      .notices()
      .filter((text) => text.includes('cache missed'))
      .join();
  };
  // The times of a made log lie far back.
  expect(await reopened([user('one'), reply(20_000)])).toContain('over 5 minutes');
  const tools = [{ name: 'other', description: 'x', input: { type: 'object' } }];
  const opened = {
    type: 'opened',
    version: 1,
    cwd: world.work,
    system: 'Be brief.',
    tools,
    model: MODELS.anthropic,
  } as const;
  expect(await reopened([user('one'), reply(20_000), opened])).toContain('tools changed');
  const trim = { type: 'trim', what: 'outputs', keep: null } as const;
  expect(await reopened([user('one'), reply(20_000), trim])).toContain('history was shortened');
});
