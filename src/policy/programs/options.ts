import type { Word } from '../shell/index.ts';
import type { Judgement, Program, Read } from './types.ts';

/** The options that a program may have and still only read. */
export type Options = {
  /** Single letters without a value. `*`: this program has no option that writes or starts anything. */
  readonly flags?: string;
  /** Single letters with a value, attached or next. */
  readonly valued?: string;
  /** Long options, without the dashes; one that takes a value ends in `=`. */
  readonly long?: string;
  /** Options whose value is a file to read: `f`, `file=`. */
  readonly files?: string;
  /** `-NUM` is an option. */
  readonly numbers?: true;
};

export type Split = {
  readonly operands: readonly Word[];
  readonly files: readonly Word[];
  readonly given: readonly string[];
};

/** Divides arguments into options and operands, as getopt does with permutation. A string names what is not known. */
export function splitOptions(words: readonly Word[], options: Options): Split | string {
  const { flags = '', valued = '', long = '', files = '' } = options;
  const longs = new Set(long.split(' '));
  const fileOptions = new Set(files.split(' '));
  const operands: Word[] = [];
  const read: Word[] = [];
  const given: string[] = [];
  const value = (name: string, text: string | undefined, next: Word | undefined) => {
    const word = text === undefined ? next : { raw: text, text, single: true };
    if (word && (fileOptions.has(name) || fileOptions.has(`${name}=`))) read.push(word);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    const text = word.text ?? (word.pattern && !/^[-*?[]/.test(word.pattern) ? word.pattern : null);
    if (text === null) {
      if (flags !== '*') return `${word.raw} may become an option`;
      operands.push(word);
    } else if (text === '--') {
      operands.push(...words.slice(at + 1));
      break;
    } else if (!text.startsWith('-') || text === '-') operands.push(word);
    else if (text.startsWith('--')) {
      const [, name = '', , attached] = /^--([^=]*)(=([\s\S]*))?$/.exec(text) ?? [];
      given.push(`--${name}`);
      const takes = longs.has(`${name}=`) || fileOptions.has(`${name}=`);
      if (!takes && !longs.has(name) && flags !== '*') return `the option --${name} is not known to be harmless`;
      if (takes) value(name, attached, attached === undefined ? words[++at] : undefined);
      else if (flags === '*' && attached !== undefined) value(name, attached, undefined);
    } else if (flags === '*' && /[/.]/.test(text)) {
      return `${text} may name a file`;
    } else if (!(options.numbers && /^-\d+$/.test(text))) {
      const letters = [...text.slice(1)];
      for (const [index, letter] of letters.entries()) {
        given.push(`-${letter}`);
        if (valued.includes(letter) || fileOptions.has(letter)) {
          const attached = index < letters.length - 1 ? text.slice(index + 2) : undefined;
          value(letter, attached, attached === undefined ? words[++at] : undefined);
          break;
        }
        if (flags !== '*' && !flags.includes(letter)) return `the option -${letter} is not known to be harmless`;
      }
    }
  }
  return { operands, files: read, given };
}

/** A program that reads its operands. `skip` operands come first that are no paths. */
export function reader(options: Options, how: Read['how'] = 'file', skip = 0): Program {
  return (words) => {
    const split = splitOptions(words, options);
    return typeof split === 'string' ? split : readsOf(split, how, skip);
  };
}

export function readsOf({ operands, files }: Split, how: Read['how'], skip = 0): Judgement {
  // What may become several words is more than the one that is skipped.
  const reads = operands.filter((word, index) => index >= skip || !word.single).map((word) => ({ word, how }));
  return { reads: [...reads, ...files.map((word) => ({ word, how: 'file' as const }))] };
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

/** A walk that follows links leaves the workspace wherever one leads. */
export const unlessFollowing =
  (program: Program, follow: readonly RegExp[]): Program =>
  (words) =>
    follow.every((option) => words.some(({ text, pattern }) => (text === null ? !pattern : option.test(text))))
      ? 'it follows links, wherever they lead'
      : program(words);
