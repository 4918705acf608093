import { loop } from '../core/loop.ts';
import type { Agent, Event, Model, User } from '../core/types.ts';
import type { Caps } from './caps.ts';
import { endingOf, hasAnswer, NOT_STARTED } from './ending.ts';
import { carryOut, type Record } from './record.ts';
import type { Ending } from './types.ts';

export type DriveParts = {
  readonly record: Record;
  readonly agent: Omit<Agent, 'inbox' | 'maxTurns'>;
  readonly caps: Caps;
  /** Bounds beside the caps: decorates the model. */
  readonly guard: (model: Model) => Model;
  /** What is left to be written down when the loop has ended. */
  readonly settle: () => AsyncGenerator<Event, void>;
  /** The answer must be one of the tool's; this is said to a model that ended without. */
  readonly unanswered: User | undefined;
  /** A new prompt begins. */
  readonly begin: () => void;
  /** A person can be asked to go on past a cap, so that time alone does not cut off what runs. */
  readonly attended: boolean;
  readonly now: () => number;
};

export type Drive = {
  readonly send: (message: User) => void;
  /** The model sees it with what it is asked next; nothing is asked because of it. */
  readonly note: (message: User) => void;
  readonly recall: () => readonly User[];
  readonly busy: () => boolean;
  readonly settled: () => Promise<Ending>;
  readonly stop: (reason: string) => Promise<void>;
  /** Does something else than a prompt, at rest; a sentence where it works already. */
  readonly work: (task: (signal: AbortSignal) => AsyncGenerator<Event, string>) => Promise<string>;
};

export function createDrive(parts: DriveParts): Drive {
  const inbox: User[] = [];
  const notes: User[] = [];
  let turn: AbortController | undefined;
  let driving: Promise<Ending> = Promise.resolve(NOT_STARTED);

  const occupy = (task: (controller: AbortController) => Promise<Ending>) => {
    const controller = new AbortController();
    turn = controller;
    const done = task(controller).finally(() => {
      turn = undefined;
    });
    driving = done;
    return done;
  };
  const start = (): void => {
    occupy((controller) => drivePrompt(parts, { inbox, notes }, controller)).then(goOn, () => {});
  };
  /** What came in while it was busy otherwise, or while the last facts were written down, is a prompt of its own. */
  const goOn = ({ stop }: Pick<Ending, 'stop'>) => {
    if (stop === 'done' && inbox.length > 0 && !turn) start();
  };
  return {
    send: (message) => {
      inbox.push(message);
      if (!turn) start();
    },
    note: (message) => {
      if (turn) notes.push(message);
      else void parts.record.commit({ type: 'message', message });
    },
    recall: () => inbox.splice(0),
    busy: () => turn !== undefined,
    settled: () => driving,
    stop: async (reason) => {
      turn?.abort(reason);
      await driving;
    },
    work: async (task) => {
      if (turn) return 'It works. Stop it first (Esc), or wait for its end.';
      const ending = await occupy(async ({ signal }) => {
        const text = await carryOut(task(signal), parts.record);
        return { ...NOT_STARTED, text, stop: signal.aborted ? 'aborted' : 'done' };
      });
      goOn(ending);
      return ending.text;
    },
  };
}

type Mail = { readonly inbox: User[]; readonly notes: User[] };

/** Notes wait until something is asked anyway: the loop would go round for any message. */
function collect({ inbox, notes }: Mail, record: Record): readonly User[] {
  const last = record.path().at(-1);
  const goesOn = inbox.length > 0 || (last?.type === 'message' && last.message.role === 'result');
  return [...(goesOn ? notes.splice(0) : []), ...inbox.splice(0)];
}

/** Milliseconds that a timer of Node can hold: 24 days. */
const LONGEST = 2 ** 31 - 1;

/** How often a model is told that its answer is missing. */
const REMINDERS = 2;

async function drivePrompt(parts: DriveParts, mail: Mail, controller: AbortController): Promise<Ending> {
  const { record, caps } = parts;
  const { inbox, notes } = mail;
  const { signal } = controller;
  const stopwatch = createStopwatch(parts.now);
  parts.begin();
  caps.begin();
  const time = parts.attended ? undefined : caps.timeLeft();
  const alarm =
    time === undefined ? undefined : setTimeout(() => controller.abort('max_time'), Math.min(time, LONGEST));
  const mark = record.all().length;
  const agent: Agent = {
    ...parts.agent,
    model: caps.guard(parts.guard(stopwatch.time(parts.agent.model))),
    inbox: () => collect(mail, record),
    maxTurns: Number.POSITIVE_INFINITY,
  };
  try {
    let stop = await carryOut(loop(agent, signal), record);
    for (let told = 0; stop === 'done'; ) {
      const open = parts.unanswered && !hasAnswer(record.all().slice(mark));
      if (open && inbox.length === 0) {
        if (told++ === REMINDERS) stop = 'error';
        else inbox.push(parts.unanswered);
      }
      // What came in while the loop was ending starts it again, too.
      if (inbox.length === 0) break;
      stop = await carryOut(loop(agent, signal), record);
    }
    await carryOut(parts.settle(), record);
    for (const message of notes.splice(0)) await record.commit({ type: 'message', message });
    await record.commit({ type: 'ended', stop });
    return endingOf(stop, record.all().slice(mark), stopwatch.read(), signal);
  } finally {
    clearTimeout(alarm);
  }
}

/** How long it all took, and how much of it was waiting for the model. */
function createStopwatch(now: () => number) {
  const began = now();
  let api = 0;
  const time = (model: Model): Model =>
    async function* (request, signal) {
      const asked = now();
      try {
        return yield* model(request, signal);
      } finally {
        api += now() - asked;
      }
    };
  return { time, read: () => ({ duration: now() - began, durationApi: api }) };
}
