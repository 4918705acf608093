/** The handle of one session: what front ends and library users hold. */
import { textOf } from '../core/messages.ts';
import type { Content, User } from '../core/types.ts';
import type { Choice } from './choice.ts';
import { createDrive, type Drive, type DriveParts } from './drive.ts';
import type { History } from './history.ts';
import type { Memory } from './memory.ts';
import type { Mode } from './settings.ts';
import { PromptError, type Session } from './types.ts';
import type { UserShell } from './user-shell.ts';

export type SessionParts = DriveParts & {
  readonly id: string;
  readonly cwd: string;
  readonly file: string | null;
  readonly choice: Choice;
  readonly history: History;
  readonly totals: Session['totals'];
  readonly memory: Pick<Memory, 'problem' | 'compact' | 'fill'>;
  readonly mode: () => Mode;
  readonly setMode: Session['setMode'];
  /** Sends a message to a descendant; false where none of that session works. */
  readonly steer: (session: string, text: string) => boolean;
  readonly skills: Session['skills'];
  readonly jobs: Session['jobs'];
  readonly background: Session['background'];
  readonly explain: Session['explain'];
  readonly grants: Session['grants'];
  readonly shell: UserShell;
  /** Ends what the session's tools started, and gives the log free. */
  readonly dispose: () => Promise<void>;
  readonly kill: () => void;
};

export function createSession(parts: SessionParts): Session {
  const { record, choice, memory } = parts;
  const drive = createDrive(parts);
  let closing: Promise<void> | undefined;

  return {
    id: parts.id,
    cwd: parts.cwd,
    file: parts.file,
    get model() {
      return choice.current().spec.name;
    },
    get effort() {
      return choice.effort();
    },
    get mode() {
      return parts.mode();
    },
    tools: parts.agent.tools.map(({ name }) => name),
    schemas: parts.agent.tools.map(({ name, description, input }) => ({ name, description, input })),
    entries: record.path,
    send: (content) => {
      if (closing) throw new Error('The session is closed.');
      const said = contentOf(content);
      const problem = memory.problem(said);
      if (problem !== undefined) throw new PromptError(problem);
      drive.send({ role: 'user', origin: 'person', content: said });
    },
    recall: () => drive.recall().map(({ content }) => textOf(content)),
    settled: drive.settled,
    busy: drive.busy,
    events: record.read,
    stop: (reason) => drive.stop(reason ?? 'stopped'),
    setModel: (name, effort) => {
      const complaint = choice.change(name, effort);
      if (complaint !== undefined) throw new Error(complaint);
      void record.commit(choice.entry());
    },
    history: atRest(parts.history, drive),
    compact: (hint) => drive.work((signal) => memory.compact(signal, hint)),
    fill: memory.fill,
    setMode: parts.setMode,
    steer: (target, text) => {
      if (target !== parts.id) return parts.steer(target, text);
      if (drive.busy()) drive.send({ role: 'user', origin: 'person', content: contentOf(text) });
      return drive.busy();
    },
    skills: parts.skills.map(({ name, description }) => ({ name, description })),
    ...forPerson(parts, (message) => closing === undefined && drive.note(message)),
    totals: parts.totals,
    denials: () => denialsOf(record.path()),
    close: (reason) => {
      const end = () => drive.stop(reason ?? 'closed').then(parts.dispose);
      closing ??= end().then(record.close);
      return closing;
    },
    kill: parts.kill,
  };
}

/** What a person does beside the conversation. */
function forPerson(
  { record, grants, explain, jobs, background, shell }: SessionParts,
  note: (message: User) => void,
): Pick<Session, 'revoke' | 'grants' | 'explain' | 'jobs' | 'background' | 'shell'> {
  return {
    revoke: (rule) => void record.commit({ type: 'grant', rule, revoked: true }),
    grants,
    explain,
    jobs,
    background,
    shell: async ({ shown, ...line }) => {
      const { told, ...end } = await shell.run(line);
      if (shown) note(told);
      return end;
    },
  };
}

/** The log's leaf moves only when nothing is working on it. */
function atRest(history: History, { busy, stop }: Pick<Drive, 'busy' | 'stop'>): History {
  const rest =
    <A extends unknown[], R>(go: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (busy()) await stop('stopped');
      return go(...args);
    };
  return {
    ...history,
    rewind: rest(history.rewind),
    undo: rest(history.undo),
    redo: rest(history.redo),
    goTo: rest(history.goTo),
  };
}

const contentOf = (content: string | readonly Content[]): readonly Content[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

function denialsOf(entries: ReturnType<Session['entries']>): ReturnType<Session['denials']> {
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  return messages.flatMap((message) => {
    if (message.role !== 'result' || message.how !== 'refused') return [];
    const call = calls.find((part) => part.type === 'call' && part.id === message.call);
    if (call?.type !== 'call') return [];
    return [{ call, reason: textOf(message.content) }];
  });
}
