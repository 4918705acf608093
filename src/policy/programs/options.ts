import type { Word } from '../shell/index.ts';
import type { Judgement, Program, Read } from './types.ts';

/** The options that a program may have and still only read. */
export type Options = {
  /** Single letters without a value. `*`: this program has no option that reads, writes or starts anything. */
  readonly flags?: string;
  /** Single letters with a value, attached or next. */
  readonly valued?: string;
  /** Single letters of which the rest of the word is the value, where there is one. */
  readonly attached?: string;
  /** Single letters whose value is the next word, whatever stands behind the letter. */
  readonly apart?: string;
  /** Long options, without the dashes; one that takes a value ends in `=`, and only an attached one where it is listed both ways. */
  readonly long?: string;
  /** Options whose value is a file to read: `f`, `file=`. */
  readonly files?: string;
  /** `-NUM` is an option. */
  readonly numbers?: true;
  /** The first operand ends the options; what looks like one behind it is not allowed. */
  readonly ordered?: true;
};

export type Split = {
  readonly operands: readonly Word[];
  readonly files: readonly Word[];
  /** Values behind an operand: where the first operand ends the options, these are operands too. */
  readonly late: readonly Word[];
  readonly given: readonly string[];
};

/** Divides arguments into options and operands, as getopt does with permutation. A string names what is not known. */
export function splitOptions(words: readonly Word[], options: Options): Split | string {
  const { flags = '', valued = '', attached = '', apart = '', long = '', files: fileOptions = '' } = options;
  const any = flags === '*';
  const known = new Set(`${long} ${fileOptions}`.split(' ').filter((name) => name.length > 1));
  const readsFile = new Set(fileOptions.split(' '));
  const operands: Word[] = [];
  const files: Word[] = [];
  const late: Word[] = [];
  const given: string[] = [];
  let at = 0;
  /** Takes the value of an option; false where it may become several words. */
  const take = (name: string, text?: string): boolean => {
    const word = text === undefined ? words[++at] : { raw: text, text, single: true };
    if (word && readsFile.has(name)) files.push(word);
    if (word && text === undefined && operands.length > 0) late.push(word);
    return word?.single !== false;
  };
  const readLong = (text: string): boolean => {
    const [, name = '', value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
    given.push(`--${name}`);
    if (!known.has(`${name}=`)) return any || known.has(name);
    return value === undefined && known.has(name) ? true : take(`${name}=`, value);
  };
  const readShort = (text: string): boolean => {
    for (let index = 1; index < text.length; index++) {
      const letter = text[index] ?? '';
      const rest = text.slice(index + 1) || undefined;
      given.push(`-${letter}`);
      if (attached.includes(letter)) return true;
      if (valued.includes(letter) || readsFile.has(letter)) return take(letter, rest);
      if (apart.includes(letter) ? !take(letter) : !any && !flags.includes(letter)) return false;
    }
    return true;
  };
  for (; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    const text = word.text ?? (word.pattern && !/^[-*?[]/.test(word.pattern) ? word.pattern : null);
    if (text === null && !any) return `${word.raw} may become an option`;
    const operand = text === null || text === '-' || !text.startsWith('-');
    if (text === '--' && !(options.ordered && operands.length > 0)) {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (operand) operands.push(word);
    else if (options.ordered && operands.length > 0) return `${text} may be an operand`;
    else if (options.numbers && /^-\d+$/.test(text)) continue;
    else if (!(text.startsWith('--') ? readLong(text) : readShort(text)))
      return `the option ${text} is not known to be harmless`;
  }
  return { operands, files, late, given };
}

/** Whether this is one of these long options: getopt_long and git take any beginning of a name for it. */
export const isLong = (text: string | null, ...names: readonly string[]): boolean => {
  const [start = ''] = text?.split('=') ?? [];
  return start.length > 2 && names.some((name) => `--${name}`.startsWith(start));
};

/** A program that reads its operands. `skip` operands come first that are no paths. */
export function reader(options: Options, how: Read['how'] = 'file', skip = 0): Program {
  return (words) => {
    const split = splitOptions(words, options);
    return typeof split === 'string' ? split : readsOf(split, how, skip);
  };
}

export function readsOf({ operands, files, late }: Split, how: Read['how'], skip = 0): Judgement {
  // What may become several words is more than the one that is skipped.
  const reads = operands.filter((word, index) => index >= skip || !word.single).map((word) => ({ word, how }));
  return { reads: [...reads, ...[...files, ...late].map((word) => ({ word, how: 'file' as const }))] };
}

/** A program that prints or computes, whatever its arguments. */
export const silent: Program = () => ({ reads: [] });

/** Only these exact arguments. */
export function exactly(...lines: readonly string[]): Program {
  return (words) => {
    const line = words.map(({ text }) => text ?? '\0').join(' ');
    return lines.includes(line) ? { reads: [] } : 'with these arguments it is not known to only read';
  };
}

export const never =
  (why: string): Program =>
  () =>
    why;

/** An option by its letter and its long name. */
type Name = readonly [letter: string, long: string];

/** A walk that follows links leaves the workspace wherever one leads. */
export const unlessFollowing =
  (program: Program, follow: readonly Name[]): Program =>
  (words) =>
    follow.every(([letter, long]) =>
      words.some(({ text, pattern }) =>
        text === null ? !pattern : isLong(text, long) || (/^-[^-]/.test(text) && text.includes(letter)),
      ),
    )
      ? 'it follows links, wherever they lead'
      : program(words);
