/**
 * Whether what the agent says it did was tested since: a fold of the log, without another question to a model. A session
 * in which no test ever ran says nothing: nobody knows whether there are any.
 */
import { field } from '../core/json.ts';
import type { Call, Logged, Message, Result } from '../core/types.ts';
import { shellLineIn } from './shell-line.ts';
import { runsTests } from './test-commands.ts';

export type Evidence = {
  /** Files that the tools wrote since tests last ran; what commands changed has no names here. */
  readonly changed: readonly string[];
  /** Tests ran, something was changed after that, and the model ended its turn as if it were done. */
  readonly stale: boolean;
};

export const foldEvidence = (path: readonly Logged[]): Evidence => createEvidence(() => path)();

/** `foldEvidence` of a path that grows: each reading costs what is new. */
export function createEvidence(path: () => readonly Logged[]): () => Evidence {
  let seen:
    | { readonly path: readonly Logged[]; length: number; readonly fold: ReturnType<typeof createFold> }
    | undefined;
  return () => {
    const now = path();
    // A step back makes another path.
    const current =
      seen?.path === now && seen.length <= now.length ? seen : { path: now, length: 0, fold: createFold() };
    for (const entry of now.slice(current.length)) current.fold.push(entry);
    current.length = now.length;
    seen = current;
    return current.fold.read();
  };
}

/** All that counts is what came last. Positions are numbers of entries; 0 is never. */
function createFold() {
  const calls = new Map<string, Call>();
  let changed = new Set<string>();
  let at = 0;
  let [tested, edited, ended] = [0, 0, 0];
  /** The workspace before this step, and the last of its calls that may have changed it in a way no tool tells. */
  let step: { readonly tree: string; by: number } | undefined;

  const test = () => {
    tested = at;
    changed = new Set();
  };
  const take = (message: Message): void => {
    if (message.role === 'assistant') {
      for (const part of message.content) if (part.type === 'call') calls.set(part.id, part);
    } else if (message.role === 'user') {
      const line = shellLineIn(message);
      if (line !== undefined && runsTests(line)) test();
    } else if (message.how === 'ran' || message.how === 'stopped') takeResult(message, calls.get(message.call));
  };
  const takeResult = (result: Result, call: Call | undefined): void => {
    const written = WRITERS.includes(result.name) && !result.failed ? field(result.details, 'path') : undefined;
    if (typeof written === 'string') {
      edited = at;
      changed.add(written);
    } else if (result.name === 'bash' && ranToEnd(result) && runsTests(commandOf(call))) test();
    else if (step && !READERS.includes(result.name)) step.by = at;
  };
  const push = (entry: Logged): void => {
    at++;
    if (entry.type === 'message') take(entry.message);
    if (entry.type === 'ended' && entry.stop === 'done') ended = at;
    if (entry.type !== 'snapshot') return;
    if (entry.when === 'before') step = { tree: entry.tree, by: 0 };
    else if (step) {
      if (step.tree !== entry.tree) edited = Math.max(edited, step.by);
      step = undefined;
    }
  };
  const read = (): Evidence => ({ changed: [...changed], stale: tested > 0 && edited > tested && ended > edited });
  return { push, read };
}

const WRITERS = ['write_file', 'edit_file'];
const READERS = [...WRITERS, 'read_file', 'list_files', 'search_files', 'web_fetch', 'todo', 'skill'];

const commandOf = (call: Call | undefined): string => {
  const command = field(call?.input, 'command');
  return typeof command === 'string' && field(call?.input, 'job') === undefined ? command : '';
};

/** Passed or failed, they ran; a command that was not found, or was cut off, tested nothing. A job tests what is there now. */
const ranToEnd = ({ details }: Result): boolean => {
  if (field(details, 'job') !== undefined) return true;
  return field(details, 'cause') === 'exit' && ![126, 127].includes(Number(field(details, 'exitCode')));
};
