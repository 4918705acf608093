/** What the interactive mode may do with the harness. */

import { count } from '../front/render/units.ts';
import type { Host, TreeLine, Undone } from '../front/repl/host.ts';
import { transcript } from '../front/transcript.ts';
import { foldTodo, type Harness, initPrompt, MODES, type Session } from '../harness/index.ts';
import type { Base } from './load.ts';

export type HostOptions = {
  readonly harness: Harness;
  readonly base: Base;
  readonly session: () => Session;
  /** Closes the session that is open, and opens another. Rejects with a sentence. */
  readonly open: (opening: { readonly resume?: string; readonly fork?: boolean }) => Promise<Session>;
};

export function createHost({ harness, base, session, open }: HostOptions): Host {
  const { store, models } = harness;
  const pathOf = (id: string): string => {
    const found = store.find(base.cwd, id);
    if (typeof found === 'string') throw new Error(found);
    return found.path;
  };
  const { maxCost } = base.settings;
  return {
    session,
    newSession: () => open({}),
    resume: async (id) => open({ resume: pathOf(id) }),
    fork: async () => {
      const { file } = session();
      if (file === null || session().entries().length === 0) throw new Error('There is nothing to go on from yet.');
      return open({ resume: file, fork: true });
    },
    listSessions: async (all = false) =>
      store.list(all ? undefined : base.cwd).map(({ id, title, changed, cwd }) => ({ id, title, time: changed, cwd })),
    preview: async (id) => transcript(store.read(pathOf(id)).entries),
    models: async () =>
      models.list().map((name) => {
        const { window, price } = models.catalog.models[name] ?? {};
        return {
          name,
          usable: typeof models.choose(name) !== 'string',
          ...(window === undefined ? {} : { window }),
          ...(price === undefined ? {} : { input: price.input, output: price.output }),
        };
      }),
    ...historyOf(session),
    setMode: (wanted) => {
      const mode = MODES.find((one) => one === wanted);
      if (mode === undefined) throw new Error(`There is no mode ${wanted}: ${MODES.join(', ')}.`);
      session().setMode(mode);
    },
    compact: (hint) => session().compact(hint === '' ? undefined : hint),
    context: () => {
      const { tokens, window = 0, parts } = session().fill();
      return tokens === 0 ? undefined : { used: tokens, window, parts };
    },
    todo: () => foldTodo(session().entries()),
    init: () => initPrompt(base),
    skills: async () =>
      session()
        .skills.map(({ name, description }) => `- **${name}** ${description}`)
        .join('\n') || 'There are no skills here.',
    ...(maxCost === undefined ? {} : { maxCost }),
  };
}

/** Prompts whose files are looked up: each costs a comparison. */
const MAX_COMPARED = 30;

/** Going back and forth, in words and files. */
function historyOf(session: () => Session) {
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
  const kept = files && files.kept.length > 0 ? `, ${files.kept.length} left as they are` : '';
  const said = `${verb}${files ? `, with ${count(files.restored, 'file')}${kept}` : ''}.${failed}`;
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
