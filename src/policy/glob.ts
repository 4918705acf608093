import { realPath, resolve, SECRET_SAMPLES } from './paths.ts';
import type { Disk } from './types.ts';

type Test = (char: string) => boolean;
/** A place in a pattern, and where it goes on: after one character, or at once where it takes none. */
type Place = { readonly takes: Test | null; readonly to: number[] };
type Token =
  | { readonly kind: 'one' | 'many'; readonly takes: Test }
  | { readonly kind: 'folders' }
  | { readonly kind: 'choice'; readonly of: readonly (readonly Token[])[] };

const isAny: Test = () => true;
const inPart: Test = (char) => char !== '/';
const literal = (text: string): Token[] => [...text].map((char) => ({ kind: 'one', takes: (other) => other === char }));

/** Walks through a text once, at all places where the pattern may stand: no pattern makes that slow. */
function compile(tokens: readonly Token[]): (text: string) => boolean {
  const places: Place[] = [{ takes: null, to: [] }];
  const add = (takes: Test | null, ...to: number[]): number => places.push({ takes, to }) - 1;
  const repeat = (takes: Test, then: number): number => {
    const loop = add(null, then);
    places[loop]?.to.push(add(takes, loop));
    return loop;
  };
  const put = (token: Token, then: number): number => {
    if (token.kind === 'one') return add(token.takes, then);
    if (token.kind === 'many') return repeat(token.takes, then);
    if (token.kind === 'choice') return add(null, ...token.of.map((one) => build(one, then)));
    const loop = add(null, then);
    places[loop]?.to.push(
      add(
        inPart,
        repeat(
          inPart,
          add((char) => char === '/', loop),
        ),
      ),
    );
    return loop;
  };
  const build = (list: readonly Token[], then: number): number =>
    list.reduceRight((next, token) => put(token, next), then);
  const start = build(tokens, 0);
  const reach = (from: Iterable<number>): Set<number> => {
    const found = new Set(from);
    for (const at of found) if (!places[at]?.takes) for (const next of places[at]?.to ?? []) found.add(next);
    return found;
  };
  return (text) => {
    let now = reach([start]);
    for (const char of text) now = reach([...now].flatMap((at) => (places[at]?.takes?.(char) ? places[at].to : [])));
    return now.has(0);
  };
}

/**
 * The pattern of a path rule: `*` and `?` inside a part, `**` for any number of parts, `{a,b}`.
 * @returns a test on a whole absolute path
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  // `src/**` is the folder too.
  const open = pattern.endsWith('/**');
  const whole = open ? pattern.slice(0, -3) : pattern;
  // Most paths lack what the pattern has word for word.
  const plain = whole.split(/\*\*\/|\{[^{}]*\}|[*?]/);
  let test: Test | undefined;
  return (path) => {
    if (!plain.every((text) => path.includes(text))) return false;
    test ??= compile([...tokensOf(whole), ...(open ? [BELOW] : [])]);
    return test(path);
  };
}

const MANY: Token = { kind: 'many', takes: isAny };
const BELOW: Token = { kind: 'choice', of: [[], [...literal('/'), MANY]] };

function tokensOf(pattern: string): Token[] {
  return [...pattern.matchAll(/\*\*\/|\*\*|\{([^{}]*)\}|[\s\S]/gu)].flatMap(([text, choices]): Token[] => {
    // Inside braces a star is a star.
    if (choices !== undefined)
      return [{ kind: 'choice', of: choices.split(',').map((one) => [...one].flatMap(tokensOf)) }];
    if (text === '**/') return [{ kind: 'folders' }];
    if (text === '**') return [MANY];
    if (text === '*') return [{ kind: 'many', takes: inPart }];
    return text === '?' ? [{ kind: 'one', takes: inPart }] : literal(text);
  });
}

/** Could a path below `folder` match? The literal start of the pattern decides; in doubt, yes. */
export function mayMatchBelow(pattern: string, folder: string): boolean {
  const start = pattern.slice(0, pattern.search(/[*?{]|$/));
  const fixed = start.slice(0, start.lastIndexOf('/') + 1);
  return fixed.startsWith(folder === '/' ? '/' : `${folder}/`) || `${folder}/`.startsWith(fixed);
}

/** Could this glob of a searching program, for which a dot is a character like others, match a hidden file of keys? */
export function mayNameHidden(glob: string): boolean {
  const test = compileGlob(glob.slice(glob.lastIndexOf('/') + 1));
  return /[[\\]/.test(glob) || SECRET_SAMPLES.some((name) => name.startsWith('.') && test(name));
}

const MAX_NAMES = 2_000;

/**
 * What the shell's file-name pattern stands for right now, as real paths. Where nothing matches, it stands for itself.
 * @returns null where there are too many
 */
export function expandPattern(pattern: string, folder: string, disk: Disk): readonly string[] | null {
  const [, top, last] = /^(.*)\/\*\*\/([^/]+)$/s.exec(pattern) ?? [];
  if (top !== undefined && last !== undefined && !/[*?[\\]/.test(top)) {
    return below(realPath(disk, folder, top === '' ? '/' : top), last, disk);
  }
  const parts = pattern.split('/').filter((part, index) => part !== '' || index === 0);
  let paths = [pattern.startsWith('/') ? '/' : disk.real(folder)];
  for (const part of pattern.startsWith('/') ? parts.slice(1) : parts) {
    const test = /(?<!\\)[*?[]/.test(part) ? compileShellPart(part) : null;
    const plain = part.replace(/\\([\s\S])/g, '$1');
    const hidden = !/^[*?[]/.test(part);
    paths = paths.flatMap((path) =>
      test
        ? disk
            .names(path)
            .filter((name) => (hidden || !name.startsWith('.')) && test(name))
            .map((name) => realPath(disk, path, name))
        : [realPath(disk, path, plain)],
    );
    if (paths.length > MAX_NAMES) return null;
  }
  return paths.length > 0 ? paths : [realPath(disk, folder, pattern.replace(/\\([\s\S])/g, '$1'))];
}

/** All below a folder whose names match, as `find` sees it: hidden ones too, and links are met but not entered. */
function below(top: string, part: string, disk: Disk): readonly string[] | null {
  const test = compileShellPart(part.toLowerCase());
  const found = [top];
  const folders = [top];
  let seen = 0;
  for (const folder of folders) {
    for (const name of disk.names(folder)) {
      // In a large tree what can hold no keys by its name is not looked for to the end.
      if (++seen > MAX_NAMES) return SECRET_SAMPLES.some(test) ? null : found;
      const path = resolve(folder, name);
      const real = disk.real(path);
      if (test(name.toLowerCase())) found.push(real);
      if (real === path) folders.push(path);
    }
  }
  return found;
}

/** One part of a shell pattern. Of sets only the plain ones are read; from any other on, everything matches. */
function compileShellPart(part: string): (name: string) => boolean {
  const tokens: Token[] = [];
  for (const [text, quoted] of part.matchAll(/\\([\s\S])|\[[!^]?[\w.-]+\]|[\s\S]/gu)) {
    if (text === '*' || text === '[') tokens.push(MANY);
    else if (text === '?' || (quoted === undefined && text.length > 2)) tokens.push({ kind: 'one', takes: isAny });
    else tokens.push(...literal(quoted ?? text));
    if (text === '[') break;
  }
  return compile(tokens);
}
