/** What the interactive mode may do with the harness. What is seldom wanted is loaded when it is. */
import type { Host } from '../front/repl/host.ts';
import { transcript } from '../front/transcript.ts';
import {
  approvedPlan,
  createEvidence,
  foldTodo,
  type Harness,
  initPrompt,
  MODES,
  type Session,
} from '../harness/index.ts';
import { historyOf } from './host/history.ts';
import { jobsOf } from './host/jobs.ts';
import { settingsOf } from './host/settings.ts';
import type { Base } from './load.ts';

export type HostOptions = {
  readonly harness: Harness;
  readonly base: Base;
  readonly session: () => Session;
  /** Closes the session that is open, and opens another. Rejects with a sentence. */
  readonly open: (opening: { readonly resume?: string; readonly fork?: boolean }) => Promise<Session>;
};

export function createHost(options: HostOptions): Host {
  const { base, session } = options;
  const { maxCost } = base.settings;
  const { statusLine, ...settings } = settingsOf(base, session);
  return {
    session,
    ...sessionsOf(options),
    ...historyOf(session),
    ...settings,
    ...jobsOf(session),
    ...filesOf(base, session),
    ...evidenceOf(session),
    ...talkOf(base, session),
    explain: (command, cwd) => session().explain(command, cwd),
    shell: (command, shown, signal, said) => session().shell({ command, shown, signal, said }),
    todo: () => foldTodo(session().entries()),
    skills: async () =>
      session()
        .skills.map(({ name, description }) => `- **${name}** ${description}`)
        .join('\n') || 'There are no skills here.',
    doctor: async () => (await import('./host/doctor.ts')).doctorReport(base),
    statusLine: async () => {
      const command = statusLine();
      if (command === undefined) return undefined;
      const { runStatusLine } = await import('./host/status-line.ts');
      return runStatusLine(command, session(), base.variables);
    },
    ...(maxCost === undefined ? {} : { maxCost }),
  };
}

/** The session on the screen, the others, and the models that answer. */
function sessionsOf({ harness, base, session, open }: HostOptions) {
  const { store, models } = harness;
  const pathOf = (id: string): string => {
    const found = store.find(base.cwd, id);
    if (typeof found === 'string') throw new Error(found);
    return found.path;
  };
  return {
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
    exportSession: async (path) => {
      const { exportSession } = await import('./host/export.ts');
      return exportSession(session(), base.home, path);
    },
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
  } satisfies Partial<Host>;
}

/** Modes, plans, and what fills the model's window. */
function talkOf(base: Base, session: () => Session) {
  const setMode = (wanted: string) => {
    const mode = MODES.find((one) => one === wanted);
    if (mode === undefined) throw new Error(`There is no mode ${wanted}: ${MODES.join(', ')}.`);
    session().setMode(mode);
  };
  return {
    setMode,
    approvePlan: (plan, mode) => {
      setMode(mode);
      session().send(approvedPlan(base, plan));
    },
    compact: (hint) => session().compact(hint === '' ? undefined : hint),
    context: () => {
      const { tokens, window = 0, parts, start } = session().fill();
      return tokens === 0 ? undefined : { used: tokens, window, parts, ...(start === undefined ? {} : { start }) };
    },
    init: () => initPrompt(base),
  } satisfies Partial<Host>;
}

/** Files as the person names them, and images. */
function filesOf(base: Base, session: () => Session) {
  const load = () => import('../harness/person-files.ts');
  return {
    files: async (signal) => (await load()).fileNames(session().cwd, signal),
    readImage: async (path) => (await load()).readImage(path, { cwd: session().cwd, home: base.home }),
    pasteImage: async () => {
      const { pastedImage } = await import('./host/clipboard.ts');
      const bytes = await pastedImage(base.variables);
      const read = bytes && (await load()).imageIn(bytes, 'What is on the clipboard');
      if (typeof read === 'string') throw new Error(read);
      return read?.image;
    },
  } satisfies Partial<Host>;
}

/** Read for every picture, so each reading costs what is new. */
function evidenceOf(session: () => Session) {
  let current = { of: session(), read: createEvidence(session().entries) };
  return {
    testsStale: () => {
      if (current.of !== session()) current = { of: session(), read: createEvidence(session().entries) };
      return current.read().stale;
    },
  } satisfies Partial<Host>;
}
