import { expect, test } from 'vitest';
import { idOf } from '../../src/undo/objects.ts';
import { restore } from '../../src/undo/restore.ts';
import { LIMITS } from '../../src/undo/rules.ts';
import { scan } from '../../src/undo/scan.ts';
import { makePlace, stateOf } from './support.ts';

test('what changes between the last look and the write is left as it is', async () => {
  const { root, write } = makePlace();
  for (const name of ['replaced', 'removed', 'quiet']) write(name, 'agent');
  const { tree } = await scan(
    { root, exclude: new Set(), limits: LIMITS, add: idOf, rest: () => undefined },
    undefined,
  );
  for (const name of ['replaced', 'removed', 'made']) write(name, 'user ');
  const agent = { mode: 0o100644, id: idOf('blob', Buffer.from('agent')) };
  const old = { mode: 0o100600, id: '1'.repeat(40) };
  const failed = await restore({
    root,
    scanned: tree,
    read: async () => Buffer.from('old'),
    differences: [
      { path: 'made', before: null, after: old },
      { path: 'quiet', before: agent, after: old },
      { path: 'removed', before: agent, after: null },
      { path: 'replaced', before: agent, after: old },
    ],
  });
  const why = 'somebody else changed it in this moment; it was left as it is';
  expect(failed.map(({ path, why: said }) => [path, said]).toSorted()).toEqual([
    ['made', why],
    ['removed', why],
    ['replaced', why],
  ]);
  expect([...stateOf(root)]).toEqual([
    ['made', 'file 644 user '],
    ['quiet', 'file 600 old'],
    ['removed', 'file 644 user '],
    ['replaced', 'file 644 user '],
  ]);
});
