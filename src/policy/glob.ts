import { realPath } from './paths.ts';
import type { Disk } from './types.ts';

/**
 * The pattern of a path rule: `*` and `?` inside a part, `**` for any number of parts, `{a,b}`.
 * @returns a test on a whole absolute path
 */
export function compileGlob(pattern: string): RegExp {
  // `src/**` is the folder too.
  const whole = pattern.endsWith('/**') ? pattern.slice(0, -3) : pattern;
  let source = '';
  for (let at = 0; at < whole.length; at++) {
    const rest = whole.slice(at);
    const all = /^\*\*\/?/.exec(rest);
    if (all) {
      source += all[0].endsWith('/') ? '(?:[^/]+/)*' : '.*';
      at += all[0].length - 1;
    } else if (rest[0] === '*') source += '[^/]*';
    else if (rest[0] === '?') source += '[^/]';
    else {
      const choice = /^\{([^{}]*)\}/.exec(rest);
      if (choice) {
        source += `(?:${(choice[1] ?? '').split(',').map(compilePart).join('|')})`;
        at += choice[0].length - 1;
      } else source += literal(rest[0] ?? '');
    }
  }
  return new RegExp(`^${source}${whole === pattern ? '' : '(?:/.*)?'}$`, 's');
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
const compilePart = (part: string) => literal(part).replaceAll('\\*', '[^/]*').replaceAll('\\?', '[^/]');

/** Could a path below `folder` match? The literal start of the pattern decides; in doubt, yes. */
export function mayMatchBelow(pattern: string, folder: string): boolean {
  const start = pattern.slice(0, pattern.search(/[*?{]|$/));
  const fixed = start.slice(0, start.lastIndexOf('/') + 1);
  return fixed.startsWith(folder === '/' ? '/' : `${folder}/`) || `${folder}/`.startsWith(fixed);
}

const MAX_NAMES = 2_000;

/**
 * What the shell's file-name pattern stands for right now, as real paths. Where nothing matches, it stands for itself.
 * @returns null where there are too many
 */
export function expandPattern(pattern: string, folder: string, disk: Disk): readonly string[] | null {
  const parts = pattern.split('/').filter((part, index) => part !== '' || index === 0);
  let paths = [pattern.startsWith('/') ? '/' : disk.real(folder)];
  for (const part of pattern.startsWith('/') ? parts.slice(1) : parts) {
    const matches = /(?<!\\)[*?[]/.test(part) ? compileShellPart(part) : null;
    const plain = part.replace(/\\([\s\S])/g, '$1');
    paths = paths.flatMap((path) =>
      matches
        ? disk
            .names(path)
            .filter((name) => matches.test(name))
            .map((name) => realPath(disk, path, name))
        : [realPath(disk, path, plain)],
    );
    if (paths.length > MAX_NAMES) return null;
  }
  return paths.length > 0 ? paths : [realPath(disk, folder, pattern.replace(/\\([\s\S])/g, '$1'))];
}

/** One part of a shell pattern; `[…]` stands for any character, which is more than it matches. */
function compileShellPart(part: string): RegExp {
  let source = /^[*?[]/.test(part) ? '(?!\\.)' : '';
  for (let at = 0; at < part.length; at++) {
    const char = part[at] ?? '';
    if (char === '\\') source += literal(part[++at] ?? '');
    else if (char === '*') source += '.*';
    else if (char === '?') source += '.';
    else if (char === '[') {
      const end = part.indexOf(']', at + 2);
      if (end < 0) return /^/;
      source += '.';
      at = end;
    } else source += literal(char);
  }
  return new RegExp(`^${source}$`, 's');
}
