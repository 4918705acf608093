import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { applied, asAgent, bytes, makePlace, planned, stateOf, tree } from './support.ts';

const HOSTILE = '* text eol=crlf ident filter=evil working-tree-encoding=UTF-16LE\n*.txt -text\n';

const name = fc.constantFrom('a', 'b', 'c.txt', '.gitattributes', '.gitignore', 'new\nline', '\xff\xe9', ' ', 'B');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const content = fc.oneof(
  fc.constantFrom('', 'a\r\nb\r\n', 'a\nb\n', '$Id$ $Id: x $\n', '\0\xff\xfe\r\n', HOSTILE, '*\n', '\xff\xfea\0\n\0'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  fc.record({ do: fc.constant('folder' as const), path }),
  fc.record({
    do: fc.constant('mode' as const),
    path,
    mode: fc.constantFrom(0o600, 0o644, 0o755, 0o700, 0o664, 0o4755),
  }),
  fc.record({ do: fc.constant('link' as const), path, to: fc.constantFrom('a', '../b', '/proc/nowhere', '\xff', '.') }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** What the file system does not allow is not done. Links are never followed out of the workspace: none leads there. */
const perform = (root: string, changes: readonly Change[]) => {
  for (const each of changes) {
    const target = bytes(join(root, each.path));
    try {
      if (each.do === 'write') writeFileSync(target, bytes(each.content));
      if (each.do === 'remove') rmSync(target, { recursive: true });
      if (each.do === 'folder') mkdirSync(target, { recursive: true });
      if (each.do === 'link') symlinkSync(bytes(each.to), target);
      if (each.do === 'mode' && !lstatSync(target).isSymbolicLink()) {
        chmodSync(target, lstatSync(target).isDirectory() ? each.mode | 0o700 : each.mode);
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
};

const some = fc.array(change, { maxLength: 8 });

const makeWorkspace = (initial: readonly Change[]) => {
  const place = makePlace();
  place.write('repository/.git/HEAD', 'ref: refs/heads/main\n');
  place.write('repository/code.c', 'int main;\r\n');
  place.write('.gitattributes', HOSTILE);
  mkdirSync(join(place.root, 'a/b'), { recursive: true });
  perform(place.root, initial);
  return place;
};

const differing = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key));

const withGit = test.skipIf(!has('git'));

withGit('whatever an agent does in whatever workspace comes back byte for byte', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(some, fc.array(some, { minLength: 1, maxLength: 3 }), async (initial, steps) => {
      const { root, open, base } = makeWorkspace(initial);
      const undo = open();
      const was = stateOf(root);
      const done: { before: string; after: string }[] = [];
      for (const changes of steps) done.push(await asAgent(undo, () => perform(root, changes)));
      const became = stateOf(root);
      const plan = await planned(undo, done);
      expect([plan.conflicts, plan.blocked]).toEqual([[], []]);
      const undone = await applied(undo, plan);
      expect(undone.failed).toEqual([]);
      expect(stateOf(root)).toEqual(was);
      await applied(undo, await planned(undo, [undone]));
      expect(stateOf(root)).toEqual(became);
      await undo.close();
      rmSync(base, { recursive: true });
    }),
    { numRuns: 60 },
  );
});

withGit('what a user did meanwhile or later is on disk, or one redo away', { timeout: 300_000 }, async () => {
  const both = fc.array(fc.record({ agent: some, user: some }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(some, both, async (initial, steps) => {
      const { root, open, base } = makeWorkspace(initial);
      const undo = open();
      const start = stateOf(root);
      const done: { before: string; after: string }[] = [];
      const touched = new Set<string>();
      const agents = new Set<string>();
      for (const { agent, user } of steps) {
        const before = stateOf(root);
        done.push(await asAgent(undo, () => perform(root, agent)));
        const after = stateOf(root);
        for (const key of differing(before, after)) agents.add(key);
        perform(root, user);
        for (const key of differing(after, stateOf(root))) touched.add(key);
      }
      const present = stateOf(root);
      const kept = await applied(undo, await planned(undo, done));
      expect(kept.failed).toEqual([]);
      const now = stateOf(root);
      for (const [key, what] of present) {
        if (touched.has(key) || !agents.has(key)) expect([key, now.get(key)]).toEqual([key, what]);
      }
      // What only the agent touched is as it was, unless something of a user's stands in its way.
      for (const key of agents) {
        const ways = [...touched].some(
          (other) => other === key || key.startsWith(`${other}/`) || other.startsWith(`${key}/`),
        );
        if (!ways) expect([key, now.get(key)]).toEqual([key, start.get(key)]);
      }
      const over = await applied(undo, await planned(undo, done), 'overwrite');
      const back = await applied(undo, await planned(undo, [over]));
      expect([over.failed, back.failed]).toEqual([[], []]);
      expect(stateOf(root)).toEqual(now);
      const again = await applied(undo, await planned(undo, [kept]));
      expect(again.failed).toEqual([]);
      expect(stateOf(root)).toEqual(present);
      expect(stateOf(join(root, 'repository')).get('.git')).toBeUndefined();
      await tree(undo);
      await undo.close();
      rmSync(base, { recursive: true });
    }),
    { numRuns: 60 },
  );
});
