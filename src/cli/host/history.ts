/** Going back and forth, as the interactive mode asks for it. */
import { count } from '../../front/render/units.ts';
import type { Host, TreeLine, Undone } from '../../front/repl/host.ts';
import type { Session } from '../../harness/index.ts';

/** Prompts whose files are looked up: each costs a comparison. */
const MAX_COMPARED = 30;

/** Going back and forth, in words and files. */
export function historyOf(session: () => Session) {
  const history = () => session().history;
  return {
    prompts: async () => {
      const all = history().prompts();
      return Promise.all(
        all.map(async (prompt, index) => {
          const changes = index < all.length - MAX_COMPARED ? [] : await history().changes({ entry: prompt.entry });
          return { ...prompt, files: typeof changes === 'string' ? [] : changes.map(({ path }) => path) };
        }),
      );
    },
    rewind: async (entry, what, conflicts) => undone(await history().rewind(entry, what, conflicts)),
    undo: async (conflicts) => undone(await history().undo(conflicts)),
    redo: async (conflicts) => undone(await history().redo(conflicts), 'Brought back'),
    tree: async () =>
      history()
        .tree()
        .flatMap((branch) => linesOf(branch, '', '')),
    goTo: async (entry) => (await history().goTo(entry)) ?? 'Here you go on from now on.',
    diff: () => history().diff('start'),
  } satisfies Partial<Host>;
}

type Rewound = Awaited<ReturnType<Session['history']['undo']>>;

function undone(rewound: Rewound, verb = 'Taken back'): Undone {
  if (typeof rewound === 'string') throw new Error(rewound);
  const { prompt, files, conflicts } = rewound;
  if (conflicts) return { conflicts: conflicts.map(({ path }) => path) };
  const failed = files?.failed.map(({ path, why }) => `\n- ${path} could not be put back: ${why}`).join('') ?? '';
  const left = (files?.left ?? []).map(
    ({ path, why, lost }) => `\n- ${path} ${lost ? 'could not be brought back' : 'is left as it is'}: ${why}`,
  );
  const kept = files && files.kept.length > 0 ? `, ${files.kept.length} left as they are` : '';
  const said = `${verb}${files ? `, with ${count(files.restored, 'file')}${kept}` : ''}.${failed}${left.join('')}`;
  return { said, ...(prompt ? { prompt: prompt.text } : {}) };
}

type Branch = ReturnType<Session['history']['tree']>[number];

/** One prompt after the other needs no stem; where they part, each has its own. */
function linesOf({ end, text, current, next }: Branch, stem: string, under: string): readonly TreeLine[] {
  const here = current && !next.some((branch) => branch.current);
  const below = next.flatMap((branch, index) => {
    if (next.length === 1) return linesOf(branch, under, under);
    const last = index === next.length - 1;
    return linesOf(branch, `${under}${last ? '└ ' : '├ '}`, `${under}${last ? '  ' : '│ '}`);
  });
  return [{ entry: end, stem, text, here }, ...below];
}
