/** What fills the window, by part: for `/context`. */
import { isPersons } from '../core/messages.ts';
import type { Logged, Message, Request, User } from '../core/types.ts';
import { startOf } from './plan.ts';
import { IMAGE, inputText, type Meter } from './window.ts';

export type ContextPart = { readonly name: string; readonly tokens: number };

export type ContextFill = {
  /** In the order of the request; parts with nothing in them are left out. */
  readonly parts: readonly ContextPart[];
  readonly tokens: number;
  readonly window?: number;
  /** Tokens that are left, and the number of them at which the history is made smaller. */
  readonly free?: number;
  readonly start?: number;
};

export type ContextQuery = {
  readonly request: Request;
  /** The part of the system text that came from files. */
  readonly instructions?: string;
  readonly path: readonly Logged[];
  readonly meter: Meter;
  readonly window?: number | undefined;
  readonly output?: number | undefined;
};

/** The parts are estimates; their sum is what the provider counted, as far as it did. */
export function measureContext({ request, instructions = '', path, meter, window, output }: ContextQuery): ContextFill {
  const { tokens } = meter.read(request, path);
  const { system, tools, messages } = request;
  const given = meter.tokensOfText(instructions);
  const sums = new Map<string, number>([
    ['system', Math.max(0, meter.tokensOfText(system) - given)],
    ['instructions', given],
    ['tools', meter.tokensOfText(JSON.stringify(tools))],
  ]);
  for (const message of messages) {
    for (const [name, size] of partsOf(message, meter)) sums.set(name, (sums.get(name) ?? 0) + size);
  }
  const estimated = [...sums.values()].reduce((sum, size) => sum + size, 0);
  const scale = estimated > 0 ? tokens / estimated : 1;
  const parts = [...sums].map(([name, size]) => ({ name, tokens: Math.round(size * scale) }));
  return {
    parts: parts.filter((part) => part.tokens > 0),
    tokens,
    ...(window === undefined ? {} : { window, free: Math.max(0, window - tokens), start: startOf(window, output) }),
  };
}

function partsOf(message: Message, meter: Meter): readonly (readonly [string, number])[] {
  return message.content.map((part) => {
    if (part.type === 'image') return ['images', IMAGE];
    if (part.type === 'call') return ['calls', meter.tokensOfText(part.name + inputText(part.input))];
    if (part.type === 'thinking') return ['thinking', meter.tokensOfText(part.text)];
    const name = message.role === 'result' ? 'outputs' : message.role === 'assistant' ? 'replies' : userPart(message);
    return [name, meter.tokensOfText(part.text)];
  });
}

const userPart = (user: User): string => (isPersons(user) ? 'prompts' : 'summary and notes');

/** Plain text, one line a part: `outputs            ████████░░░░  82.1k  41 %`. `width`: columns of a whole bar. */
export function drawContext({ parts, tokens, window, free, start }: ContextFill, width = 24): readonly string[] {
  const whole = window ?? tokens;
  const rows = [...parts, ...(free === undefined ? [] : [{ name: 'free', tokens: free }])];
  const title = Math.max(...rows.map(({ name }) => name.length));
  const of = window === undefined ? '' : ` of ${short(window)} (${Math.round((tokens / window) * 100)} %)`;
  const from = start === undefined ? '' : `; made smaller from ${short(start)} on`;
  return [
    `about ${short(tokens)} tokens${of}${from}`,
    ...rows.map((row) => {
      const part = whole > 0 ? row.tokens / whole : 0;
      const bar = '█'.repeat(Math.min(width, Math.ceil(part * width))).padEnd(width, '░');
      const size = short(row.tokens).padStart(6);
      return `${row.name.padEnd(title)}  ${bar}  ${size}  ${String(Math.round(part * 100)).padStart(3)} %`;
    }),
  ];
}

const short = (count: number): string => (count < 1000 ? String(Math.round(count)) : `${(count / 1000).toFixed(1)}k`);
