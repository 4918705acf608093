/** `rein` in the agent's own shell is a sub-agent: the parent starts it, bounds it, pays for it and answers for it. */
import { expect, test } from 'vitest';
import type { Asked, Turn } from '../../src/testing/index.ts';
import { createWorld, resultsOf, type World } from '../support/rein.ts';

/** The parent runs `command`; a sub-agent is asked by its prompt. */
const family =
  (command: string, child: (asked: Asked) => Turn) =>
  (asked: Asked): Turn => {
    if (!asked.prompt.startsWith('parent')) return child(asked);
    return asked.rounds.length === 0 ? { calls: [{ name: 'bash', input: { command } }] } : { text: 'parent done' };
  };

const lastResult = (world: World): string => resultsOf(world.server.requests.at(-1)).at(-1) ?? '';

test('a sub-agent has a fresh history, its summary is the output of the command, its log is linked to the call', async () => {
  const world = await createWorld(family('rein -p "child: say it"', () => ({ text: 'the child says so' })));
  const ran = await world.rein(['-p', 'parent', '--yolo']);
  expect(ran).toMatchObject({ code: 0, stdout: 'parent done\n' });
  expect(lastResult(world)).toContain('the child says so');
  const [parent, child] = world.logs();
  const call = parent?.entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'assistant' ? entry.message.content : [],
  ).find((part) => part.type === 'call');
  expect(child?.header?.startedBy).toEqual({ session: parent?.header?.session, call: call?.type === 'call' && call.id });
  expect(world.server.violations).toEqual([]);
});
