/** The handle of one session: what front ends and library users hold. */
import type { Content, User } from '../core/types.ts';
import { foldTotals } from '../session/index.ts';
import type { Choice } from './choice.ts';
import { createDrive, type DriveParts } from './drive.ts';
import type { Session } from './types.ts';

export type SessionParts = DriveParts & {
  readonly id: string;
  readonly cwd: string;
  readonly file: string | null;
  readonly choice: Choice;
  readonly mode: () => string;
  /** Ends what the session's tools started, and gives the log free. */
  readonly dispose: () => Promise<void>;
  readonly kill: () => void;
};

export function createSession(parts: SessionParts): Session {
  const { record, choice } = parts;
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
    entries: record.path,
    send: (content) => {
      if (closing) throw new Error('The session is closed.');
      drive.send({ role: 'user', origin: 'person', content: contentOf(content) });
    },
    recall: () => drive.recall().map(textOf),
    settled: drive.settled,
    busy: drive.busy,
    events: record.read,
    stop: (reason) => drive.stop(reason ?? 'stopped'),
    setModel: (name, effort) => {
      const complaint = choice.change(name, effort);
      if (complaint !== undefined) throw new Error(complaint);
      void record.commit(choice.entry());
    },
    grant: (rule) => void record.commit({ type: 'grant', rule }),
    totals: () => foldTotals(record.all()),
    denials: () => denialsOf(record.path()),
    close: (reason) => {
      closing ??= drive
        .stop(reason ?? 'closed')
        .then(parts.dispose)
        .then(record.close);
      return closing;
    },
    kill: parts.kill,
  };
}

const contentOf = (content: string | readonly Content[]): readonly Content[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

const textOf = ({ content }: User): string => content.map((part) => (part.type === 'text' ? part.text : '')).join('');

function denialsOf(entries: ReturnType<Session['entries']>): ReturnType<Session['denials']> {
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  return messages.flatMap((message) => {
    if (message.role !== 'result' || message.how !== 'refused') return [];
    const call = calls.find((part) => part.type === 'call' && part.id === message.call);
    if (call?.type !== 'call') return [];
    return [{ call, reason: message.content.map((part) => (part.type === 'text' ? part.text : '')).join('') }];
  });
}
