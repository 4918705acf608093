import type { Theme } from './theme.ts';

/**
 * Code in colour, line by line, so that a line is finished when it has streamed. It knows comments, strings, numbers and
 * the words of a language; a parser would know more and would have to wait for the end.
 */
export type Highlighted = {
  readonly text: string;
  /** What closes the comment or string that goes on in the next line. */
  readonly open: string | null;
};

type Language = {
  /** What begins a comment that ends with its line. */
  readonly comment?: string;
  /** Comments and strings over several lines: what opens them, and what closes them. */
  readonly long?: Readonly<Record<string, string>>;
  readonly words: string;
};

const C_LONG = { '/*': '*/' };
const C_WORDS =
  'if else for while do switch case default break continue return struct enum union typedef static const void int char float double long short unsigned signed bool true false sizeof new delete class public private protected virtual override namespace using template typename auto try catch throw nullptr null this final abstract interface extends implements import package boolean var string instanceof super foreach in out async await internal readonly get set';

const languages: Readonly<Record<string, Language>> = {
  js: {
    comment: '//',
    long: { ...C_LONG, '`': '`' },
    words:
      'import export from as default const let var function return if else for while do switch case break continue new class extends implements interface type enum readonly public private protected static async await yield try catch finally throw typeof instanceof in of keyof satisfies void delete null undefined true false this super declare namespace abstract',
  },
  py: {
    comment: '#',
    long: { '"""': '"""', "'''": "'''" },
    words:
      'def class return if elif else for while break continue pass import from as with try except finally raise lambda yield async await global nonlocal assert del in is not and or None True False self match case',
  },
  c: { comment: '//', long: C_LONG, words: C_WORDS },
  go: {
    comment: '//',
    long: { ...C_LONG, '`': '`' },
    words:
      'package import func return if else for range switch case default break continue go defer select chan map struct interface type var const nil true false fallthrough string int error bool',
  },
  rust: {
    comment: '//',
    long: C_LONG,
    words:
      'fn let mut const static pub use mod crate self Self super struct enum impl trait for in while loop if else match return break continue async await move ref where as dyn unsafe type true false Some None Ok Err',
  },
  sh: {
    comment: '#',
    words:
      'if then else elif fi for while until do done case esac in function return local export readonly set unset exit source echo cd eval exec trap shift test sudo',
  },
  ruby: {
    comment: '#',
    words:
      'def end class module if elsif else unless case when while until for do begin rescue ensure raise return yield require include attr_accessor nil true false self then puts and or not lambda proc',
  },
  sql: {
    comment: '--',
    long: C_LONG,
    words:
      'select from where and or not insert into values update set delete create table index view drop alter add primary key foreign references join left right inner outer on group by order having limit offset as distinct union all null is in exists between like case when then else end with',
  },
  css: { long: C_LONG, words: 'important media supports import from to keyframes root' },
  data: { comment: '#', words: 'true false null yes no on off' },
  json: { comment: '//', long: C_LONG, words: 'true false null' },
};

/** Other names of the same, or of what looks alike. */
const names: Readonly<Record<string, string>> = {
  js: 'javascript typescript ts tsx jsx mjs cjs mts',
  py: 'python python3',
  c: 'h cpp c++ cc hpp java kotlin kt swift cs csharp php scala dart zig',
  go: 'golang',
  rust: 'rs',
  sh: 'bash shell zsh fish console dockerfile makefile make',
  ruby: 'rb',
  css: 'scss less',
  data: 'yaml yml toml ini',
  json: 'jsonc',
};

const findLanguage = (label: string): Language | undefined => {
  const name = label.toLowerCase();
  const known = Object.keys(names).find((one) => one === name || ` ${names[one]} `.includes(` ${name} `));
  return languages[known ?? name];
};

/** A line of code that is `safe` already. A language that is not known stays as it is. */
export const highlight = (line: string, label: string, open: string | null, theme: Theme): Highlighted => {
  const language = label === '' ? undefined : findLanguage(label);
  if (!language) return { text: line, open: null };
  if (open === null) return walk(line, language, theme);
  const end = line.indexOf(open);
  const paint = paintOf(open, theme);
  if (end < 0) return { text: paint(line), open };
  const rest = walk(line.slice(end + open.length), language, theme);
  return { text: paint(line.slice(0, end + open.length)) + rest.text, open: rest.open };
};

const walk = (line: string, language: Language, theme: Theme): Highlighted => {
  const words = ` ${language.words} `;
  const pattern = patternOf(language);
  let text = '';
  let from = 0;
  for (const match of line.matchAll(pattern)) {
    const { comment, long, quoted, number, word } = match.groups ?? {};
    const found = match[0];
    text += line.slice(from, match.index);
    from = match.index + found.length;
    if (comment !== undefined) text += theme.dim(found);
    else if (quoted !== undefined) text += theme.string(found);
    else if (number !== undefined) text += theme.number(found);
    else if (word !== undefined) text += words.includes(` ${found} `) ? theme.keyword(found) : found;
    else if (long !== undefined) {
      const rest = highlightLong(line.slice(match.index), long, language, theme);
      return { text: text + rest.text, open: rest.open };
    }
  }
  return { text: text + line.slice(from), open: null };
};

const highlightLong = (line: string, opener: string, language: Language, theme: Theme): Highlighted => {
  const close = language.long?.[opener] ?? opener;
  const end = line.indexOf(close, opener.length);
  const paint = paintOf(close, theme);
  if (end < 0) return { text: paint(line), open: close };
  const rest = walk(line.slice(end + close.length), language, theme);
  return { text: paint(line.slice(0, end + close.length)) + rest.text, open: rest.open };
};

const paintOf = (close: string, theme: Theme) => (close === '*/' ? theme.dim : theme.string);

const patternOf = ({ comment, long = {} }: Language): RegExp => {
  const openers = Object.keys(long).map(quote).join('|');
  const parts = [
    ...(openers === '' ? [] : [`(?<long>${openers})`]),
    // A `#` inside a word, a URL's `//`: those begin no comment.
    ...(comment === undefined ? [] : [`(?<![\\w:$])(?<comment>${quote(comment)}.*)`]),
    `(?<quoted>"(?:[^"\\\\]|\\\\.)*"|(?<!\\w)'(?:[^'\\\\]|\\\\.)*')`,
    '(?<![\\w.])(?<number>0[xXbo][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)',
    '(?<word>[A-Za-z_]\\w*)',
  ];
  return new RegExp(parts.join('|'), 'g');
};

const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
