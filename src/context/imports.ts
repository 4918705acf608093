/** `@docs/style.md` in an instruction file stands for that file. */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INLINE_CODE = /(`+)(?:(?!\1).)*\1/g;
/** After a blank, so that `user@host.md` is none. */
const IMPORT = /(?:^|[\s(])@((?:~\/|\.{0,2}\/)?[\w.][\w./-]*)/g;

/** The paths as they are written, in order. Code is left alone: `@Override` there is somebody else's. */
export function importsOf(text: string): readonly string[] {
  let fence = '';
  const names: string[] = [];
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (mark !== '' && (fence === '' || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === '' ? mark : '';
      continue;
    }
    if (fence !== '' || /^( {4}|\t)/.test(line)) continue;
    for (const [, name = ''] of line.replace(INLINE_CODE, '').matchAll(IMPORT)) {
      const path = name.replace(/[./]+$/, '');
      if (isPath(path)) names.push(path);
    }
  }
  return names;
}

/** A name in prose (`@anna`, `@types/node`) is no file: only texts are imported. */
const isPath = (name: string): boolean => /\.(md|mdc|markdown|txt)$/i.test(name) || /^(~|\.{0,2})\//.test(name);
