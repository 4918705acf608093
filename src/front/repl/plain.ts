import { StringDecoder } from 'node:string_decoder';
import type { Ending, Session } from '../../harness/types.ts';
import { describeEnding, exitCode } from '../ending.ts';
import { narrator } from '../narrate.ts';
import { createOutput } from '../output.ts';
import { replyText } from '../print.ts';
import { markdownRows } from '../render/markdown.ts';
import type { Row } from '../render/row.ts';
import { oneLine, safe } from '../render/safe.ts';
import { type Look, plainLook } from '../render/theme.ts';
import { createLineAnswers, refuseAll } from './answers.ts';
import { findCommand } from './commands/find.ts';
import { commandsOf } from './commands/index.ts';
import type { Questions } from './questions.ts';
import { type Desk, runCommand } from './submit.ts';
import type { Choice, Host, Input, ReplOptions, Running } from './types.ts';

/** Line mode: for pipes, dumb terminals and screen readers. Nothing is drawn twice, and there is no cursor to move. */
export const runPlain = (
  options: ReplOptions,
  questions: Questions,
  host: Host,
  prompt: string | undefined,
): Running => {
  const { stdin } = options;
  const output = createOutput(options.stdout);
  const person = stdin.isTTY === true;
  const terminal = person && options.stdout.isTTY === true;
  const waits = () => terminal && !left && (questions.waiting() > 0 || !host.session().busy());
  const sign = createSign(output.write, waits);
  const paper = createPaper(plainLook(options.color && options.stdout.isTTY === true), sign, options.now);
  const answers = person ? createLineAnswers(questions, paper.look, paper.show) : refuseAll(questions);
  const { promise: done, resolve } = Promise.withResolvers<number>();
  let left = false;
  let ending: Ending | undefined;
  const leave = async (code: number) => {
    if (left) return;
    left = true;
    questions.refuse({ allow: false, end: true, reason: 'not approved: the program was left' });
    if (host.session().busy()) await host.session().stop();
    sign.end();
    await output.flush();
    stdin.destroy();
    resolve(code);
  };
  const desk = createLineDesk(options, host, paper, () => void leave(0));
  /** A person steers while it works; a pipe's lines come one after the other. */
  const take = async (line: string) => {
    if (line.trim() === '') return;
    if (!person && isUnknown(desk, line)) desk.send(line);
    else if ((await runCommand(desk, line)) === 'prompt') desk.send(line);
    if (!person && host.session().busy()) ending = await endOf(host.session(), desk.warn);
  };
  const run = async () => {
    if (prompt !== undefined) await take(prompt);
    sign.show();
    for await (const line of linesOf(stdin)) {
      if (left) return;
      sign.hold();
      if (!answers.take(line)) await take(line);
      sign.show();
    }
    await leave(person || !ending ? 0 : exitCode(ending));
  };
  output.gone.addEventListener('abort', () => void leave(0), { once: true });
  if (terminal) paper.say(`rein ${options.version} · /help lists the commands, /quit leaves`);
  paper.attach(host.session());
  void run();
  return { done, dispose: () => void leave(0), warn: desk.warn };
};

const isUnknown = ({ commands }: Desk, line: string): boolean => {
  const found = findCommand(commands, line);
  return found !== undefined && 'unknown' in found;
};

/** What commands may do where there is only paper. */
const createLineDesk = (options: ReplOptions, host: Host, paper: Paper, leave: () => void): Desk => ({
  host,
  // What comes through a pipe may be anybody's: it can name a prompt of the person's own, and change nothing.
  commands: options.stdin.isTTY === true ? commandsOf(options.commands ?? []) : (options.commands ?? []),
  keys: [],
  send: (content) => host.session().send(content),
  say: paper.markdown,
  read: (_, markdown) => paper.markdown(markdown),
  warn: (text) => paper.say(`rein: ${oneLine(text, 1000)}`),
  choose: async (title, choices) => paper.say(listOf(title, choices)),
  draft: (text) => paper.say(text),
  keep: (prompt) => `It was: ${oneLine(prompt, 200)}`,
  show: paper.attach,
  setTheme: () => {},
  copy: copyBy(options),
  agents: () => [],
  time: options.time,
  leave,
});

type Paper = ReturnType<typeof createPaper>;

/** What is written stays: committed text, calls and their results, one session at a time. */
const createPaper = (look: Look, { write, show: signal }: Sign, now: () => number) => {
  let current: Session | undefined;
  const say = (text: string): undefined => void write(`${safe(text)}\n`);
  const markdown = (text: string) => show(markdownRows(text, look));
  const show = (rows: readonly Row[]) => {
    for (const row of rows) void write(`${row(1000).join('\n')}\n`);
  };
  const follow = async (session: Session) => {
    const narrate = narrator(look, now);
    for await (const seen of session.events()) {
      if (session !== current) return;
      const reply =
        !('live' in seen) && seen.type === 'message' && seen.message.role === 'assistant' ? seen.message : null;
      const text = reply ? replyText(reply) : '';
      if (text !== '') say(text);
      show(narrate(seen));
      if (!('live' in seen) && seen.type === 'ended') void session.settled().then(signal);
    }
  };
  const attach = (session: Session) => {
    current = session;
    void follow(session);
  };
  return { look, say, markdown, show, attach };
};

type Sign = ReturnType<typeof createSign>;

/** `> ` where a person may write: once, and anew below what came meanwhile. */
const createSign = (write: (text: string) => Promise<void>, waits: () => boolean) => {
  let shown = false;
  let held = true;
  const later = () =>
    setImmediate(() => {
      if (shown || held || !waits()) return;
      shown = true;
      void write('> ');
    });
  const below = () => {
    const begin = shown ? '\n' : '';
    shown = false;
    return begin;
  };
  return {
    write: (text: string) => {
      later();
      return write(below() + text);
    },
    show: () => {
      held = false;
      later();
    },
    /** A line was read, which ended that of the sign; what it asks for comes first. */
    hold: () => {
      shown = false;
      held = true;
    },
    end: () => void write(below()),
  };
};

const copyBy =
  ({ copy }: ReplOptions): Desk['copy'] =>
  async (text) => {
    if (await copy?.(text).catch(() => false)) return 'The last answer is on the clipboard.';
    return 'There is no program here that writes to the clipboard.';
  };

const listOf = (title: string, choices: readonly Choice[]): string =>
  [title, ...choices.map(({ value, label }) => (value === label ? `  ${value}` : `  ${value}  ${label}`))].join('\n');

/** Waits for the prompt's end, and for what it said to be written. */
const endOf = async (session: Session, warn: (text: string) => void): Promise<Ending> => {
  const ending = await session.settled();
  await new Promise<void>((resolve) => setImmediate(resolve));
  const problem = ending.stop === 'done' ? '' : describeEnding(ending);
  if (problem !== '') warn(problem);
  return ending;
};

/** Split at line feeds only; the last line needs none. A stream that breaks has ended. */
async function* linesOf(stdin: Input): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  try {
    for await (const chunk of stdin) {
      const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield line.replace(/\r$/, '');
    }
  } catch {
    return;
  }
  if (rest !== '') yield rest;
}
