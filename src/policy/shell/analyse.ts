import type { Parse } from './grammar.ts';
import type { Found, Simple } from './reading.ts';
import type { Analysis, Assignment, Command, Reason, Word } from './types.ts';
import { walk } from './walk.ts';
import { type Inner, unwrap } from './wrappers.ts';

const MAX_NESTING = 6;
const MAX_COMMANDS = 2_000;
/** Controls that bash reads in its own way, and the characters that the analysis uses itself. */
const ODD = /[\0-\x08\x0b-\x1f\x7f\uE000-\uE002]|\p{Surrogate}/u;
/** In command position these are grammar, not programs: the parser and bash disagree about the line. */
const RESERVED = new Set(
  'if then elif else fi case esac for select while until do done in function coproc { } ! [[ ]]'.split(' '),
);

type Draft = {
  readonly commands: Command[];
  readonly redirects: Found['redirects'];
  readonly assignments: Assignment[];
  readonly unknown: Reason[];
  loops: boolean;
};

/** Every simple command that bash would run for this line, and every reason why there may be more. */
export function analyse(line: string, parse: Parse, home: string | null): Analysis {
  const draft: Draft = { commands: [], redirects: [], assignments: [], unknown: [], loops: false };
  read(line, [], { draft, parse, home });
  return { line, ...draft };
}

type Reading = { readonly draft: Draft; readonly parse: Parse; readonly home: string | null };

function read(line: string, via: readonly Command[], reading: Reading): void {
  const { draft, parse, home } = reading;
  if (ODD.test(line)) draft.unknown.push({ text: line, why: 'it contains control characters' });
  const source = joinLines(line);
  const tree = via.length > MAX_NESTING ? null : parse(source);
  if (!tree) {
    draft.unknown.push({ text: line, why: 'it is too long or too deep to be read' });
    return;
  }
  const found = walk(tree, source, home);
  draft.redirects.push(...found.redirects);
  draft.assignments.push(...found.assignments);
  draft.unknown.push(...found.unknown);
  draft.loops ||= found.loops;
  for (const simple of found.commands) add(simple, via, false, reading);
}

/** Joins continued lines as bash does first of all, where no quote, comment or here-document could keep them apart. */
function joinLines(line: string): string {
  if (!line.includes('\\\n') || /['#]|<</.test(line)) return line;
  return line.replace(/\\([\s\S])/g, (pair, char) => (char === '\n' ? '' : pair));
}

function add({ name, words, text }: Simple, via: readonly Command[], elsewhere: boolean, reading: Reading): void {
  const { draft } = reading;
  const report = (why: string) => void draft.unknown.push({ text, why });
  const known = name.text;
  const push = (wrapper: boolean): Command => {
    const command = { name: known, words, text, via, wrapper, elsewhere };
    draft.commands.push(command);
    return command;
  };
  if (draft.commands.length >= MAX_COMMANDS || via.length > MAX_NESTING) {
    report('there are too many commands');
    return;
  }
  if (known === null) {
    report('the shell computes which command runs');
    push(false);
    return;
  }
  if (RESERVED.has(name.raw) && name.raw !== '[[') report(`"${name.raw}" is not a command`);
  if (known === '') report('the command has no name');
  const unwrapped = unwrap(known, words);
  if (typeof unwrapped === 'string') report(unwrapped);
  if (unwrapped === null || typeof unwrapped === 'string') {
    push(false);
    return;
  }
  const outer = push(unwrapped.transparent);
  for (const inner of unwrapped.inner) enter(inner, [...via, outer], elsewhere, reading);
}

function enter(inner: Inner, via: readonly Command[], elsewhere: boolean, reading: Reading): void {
  if ('script' in inner) {
    read(inner.script, via, reading);
    return;
  }
  for (const word of inner.assignments ?? []) reading.draft.assignments.push(assignment(word));
  const [name, ...words] = inner.words;
  if (!name) return;
  const text = inner.words.map(({ raw }) => raw).join(' ');
  add({ name, words, text }, via, elsewhere || inner.elsewhere === true, reading);
}

function assignment(word: Word): Assignment {
  const name = word.raw.slice(0, word.raw.indexOf('='));
  const value = word.text === null ? null : { raw: word.raw, text: word.text.slice(name.length + 1), single: true };
  return { name, value, exported: true, text: word.raw };
}
