/** What the interactive mode may do with the harness. */
import type { Host } from '../front/repl/host.ts';
import { transcript } from '../front/transcript.ts';
import type { Harness, Session } from '../harness/index.ts';
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
    compact: (hint) => session().compact(hint === '' ? undefined : hint),
    context: () => {
      const { tokens, window = 0, parts } = session().fill();
      return tokens === 0 ? undefined : { used: tokens, window, parts };
    },
    skills: async () =>
      session()
        .skills.map(({ name, description }) => `- **${name}** ${description}`)
        .join('\n') || 'There are no skills here.',
    ...(maxCost === undefined ? {} : { maxCost }),
  };
}
