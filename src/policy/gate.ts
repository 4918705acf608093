import type { Access, Answer, Ask, Call, Event, Question, Verdict } from '../core/types.ts';
import { decide } from './decide.ts';
import { explain, objections } from './explain.ts';
import { allowingRule, narrowest } from './narrowest.ts';
import type { Shell } from './shell/index.ts';
import type { Mode, Outcome, Place, Query, Rule } from './types.ts';

export type GateOptions = Place & {
  readonly shell: Shell;
  /** Read anew for each call: a grant or a change of mode holds from the next call on. */
  readonly cwd: () => string;
  readonly mode: () => Mode;
  readonly rules: () => readonly Rule[];
  readonly sandboxed: () => boolean;
  /** Null where nobody can be asked; `above` where whoever judges after this one asks. */
  readonly ask: Ask | 'above' | null;
  /** Told of every outcome, before anybody acts on it. */
  readonly judged?: (access: Access, outcome: Outcome) => void;
};

/** A `Gate` that also judges for descendants: `from` are the names of the one whose call it is, outermost first. */
export type Judge = (
  call: Call,
  access: Access,
  signal: AbortSignal,
  from?: readonly string[],
) => AsyncGenerator<Event, Verdict>;

export function createGate(options: GateOptions): Judge {
  return async function* gate(call, access, signal, from = []) {
    const query = await queryFor(call.name, access, options);
    const outcome = decide(query);
    options.judged?.(access, outcome);
    if (outcome.verdict === 'allow') return { allow: true };
    if (outcome.verdict === 'deny') return refuse(`${objections(outcome)} (${outcome.rule}).`);
    if (options.ask === 'above') return { allow: true };
    if (!options.ask) return refuse(headless(outcome, allowingRule(outcome, query)));
    const rule = narrowest(outcome, query);
    const preview = await access.preview?.();
    yield { live: 'waiting', call: call.id };
    const question = {
      call,
      access,
      ...(preview === undefined ? {} : { preview }),
      why: objections(outcome),
      from,
      ...(rule === undefined ? {} : { rule }),
    };
    const answer = await answerOf(options.ask, question, signal);
    if (!answer.allow) return refused(answer);
    if (answer.always && rule !== undefined) yield { type: 'grant', rule };
    return { allow: true };
  };
}

export async function queryFor(tool: string, access: Access, options: Omit<GateOptions, 'ask'>): Promise<Query> {
  const { roots, home, disk, shell } = options;
  const mode = options.mode();
  const rules = options.rules();
  // Where nothing can be refused, nothing has to be read.
  const open = mode === 'bypass' && !rules.some(({ effect }) => effect === 'deny');
  const analysis = access.command === undefined || open ? null : await shell(access.command);
  const state = { cwd: access.cwd ?? options.cwd(), mode, rules, sandboxed: options.sandboxed() };
  return { roots, home, disk, tool, access, analysis, ...state };
}

/** Whether a call does nothing but look, whatever allowed it. */
export const onlyReads = ({ parts }: Outcome): boolean =>
  parts.every(
    ({ part }) => part.kind === 'read' || part.kind === 'host' || (part.kind === 'command' && part.harmless === null),
  );

/** For `rein permissions test COMMAND`: the outcome as data, and as lines of text. */
export async function testCommand(
  command: string,
  options: Omit<GateOptions, 'ask'>,
): Promise<{ readonly outcome: Outcome; readonly rule: string | undefined; readonly lines: readonly string[] }> {
  const query = await queryFor('bash', { show: command, command, anything: true }, options);
  const outcome = decide(query);
  const rule = outcome.verdict === 'ask' ? narrowest(outcome, query) : undefined;
  return { outcome, rule, lines: explain(outcome, rule) };
}

/** An abort while the question is open is an answer too: nothing may hang on a front end that does not listen. */
async function answerOf(ask: Ask, question: Question, signal: AbortSignal): Promise<Answer> {
  const end: Answer = { allow: false, end: true };
  if (signal.aborted) return end;
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const abort = () => resolve(end);
  signal.addEventListener('abort', abort, { once: true });
  ask(question, signal).then(resolve, (error: unknown) =>
    resolve({ allow: false, reason: `the question could not be asked: ${String(error)}` }),
  );
  const answer = await promise;
  signal.removeEventListener('abort', abort);
  // A yes that arrives together with the abort comes too late.
  return signal.aborted ? end : answer;
}

const NOTHING = 'It was refused before it began; nothing was done.';

const refuse = (reason: string): Verdict => ({ allow: false, reason: `Not allowed: ${reason} ${NOTHING}` });

function refused({ reason, end }: Answer & { allow: false }): Verdict {
  const words = reason ? ` They said: ${JSON.stringify(reason)}` : '';
  return { allow: false, reason: `The user did not approve it.${words} ${NOTHING}`, ...(end ? { end } : {}) };
}

function headless(outcome: Outcome, rule: string | undefined): string {
  const how =
    rule === undefined
      ? 'No single rule allows it: a person must approve it in an interactive session, or choose another permission mode.'
      : `The user can allow it with --allowed-tools ${quote(rule)}.`;
  return `it needs approval and nobody can be asked:\n${objections(outcome)}\n${how}`;
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
