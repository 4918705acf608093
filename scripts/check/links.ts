import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Problem } from './source.ts';

/** Links between the pages of the repository that lead nowhere. */
export const checkLinks = (root: string): Problem[] =>
  [...pagesIn(root, '.'), ...pagesIn(root, 'docs')].flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((text, at) => targetsOf(text).map((target) => ({ target, line: at + 1 })))
      .filter(({ target }) => !existsSync(join(root, dirname(path), target)))
      .map(({ target, line }) => ({
        path,
        line,
        rule: 'dead link',
        advice: `${target} isn't there: write it or unlink it`,
      })),
  );

const pagesIn = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(folder, name))
    : [];

/** Files that a line of Markdown links to, without addresses and anchors. */
const targetsOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .flatMap(([, target]) => (target === undefined ? [] : [target]))
    .filter((target) => !/^[a-z]+:/.test(target));
