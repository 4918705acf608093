/** A captured screen with its colours (`tmux capture-pane -e`) as an SVG that needs no font of ours. */

type Style = { readonly ink: string; readonly paper: string; readonly classes: readonly string[] };
type Run = { readonly text: string; readonly style: Style; readonly column: number };

const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const BACK = '#16181d';
const INK = '#d5d8df';
/** Black, red, green, yellow, blue, magenta, cyan, white; then the bright ones. */
const PALETTE = (
  '#30343c #e5747a #8fc379 #dcb862 #6ea8e6 #c48be0 #5cc1c9 #d5d8df ' +
  '#6b7280 #f08f94 #a8d994 #ecd08a #8fbff2 #d9a9ef #82d8de #ffffff'
).split(' ');

const PLAIN: Style = { ink: '', paper: '', classes: [] };

export const toSvg = (screen: string, columns: number): string => {
  const lines = linesOf(screen);
  const width = columns * CELL.width + 2 * MARGIN;
  const height = lines.length * CELL.height + 2 * MARGIN;
  const body = lines.map((runs, row) => lineOf(runs, MARGIN + row * CELL.height)).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${INK};white-space:pre}.b{font-weight:600}.d{opacity:.58}.i{font-style:italic}.s{text-decoration:line-through}</style>
<rect width="100%" height="100%" rx="10" fill="${BACK}"/>
${body}
</svg>
`;
};

const lineOf = (runs: readonly Run[], y: number): string =>
  runs
    .filter(({ text, style }) => text.trim() !== '' || style.paper !== '')
    .map(({ text, style, column }) => {
      const x = MARGIN + column * CELL.width;
      const wide = widthOf(text) * CELL.width;
      const paper =
        style.paper === ''
          ? ''
          : `<rect x="${x}" y="${y}" width="${wide}" height="${CELL.height}" fill="${style.paper}"/>`;
      const ink = style.ink === '' ? '' : ` style="fill:${style.ink}"`;
      const classes = style.classes.length === 0 ? '' : ` class="${style.classes.join(' ')}"`;
      // Glyphs of any font are made to keep to the grid.
      return `${paper}<text x="${x}" y="${y + 13}" textLength="${wide}"${classes}${ink}>${escapeXml(text)}</text>`;
    })
    .join('');

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A style goes on over the end of a line. */
const linesOf = (screen: string): readonly (readonly Run[])[] => {
  let style = PLAIN;
  return screen.split('\n').map((line) => {
    const runs = runsOf(line, style);
    style = runs.style;
    return runs.runs;
  });
};

const runsOf = (line: string, before: Style): { readonly runs: readonly Run[]; readonly style: Style } => {
  const runs: Run[] = [];
  let style = before;
  let column = 0;
  for (const part of line.split(/(\x1b\[[\d;:]*m)/)) {
    const codes = /^\x1b\[([\d;:]*)m$/.exec(part)?.[1];
    if (codes !== undefined) style = apply(style, codes.split(/[;:]/).map(Number));
    else if (part !== '') {
      runs.push({ text: part, style, column });
      column += widthOf(part);
    }
  }
  return { runs, style };
};

const widthOf = (text: string): number =>
  [...text].reduce(
    (sum, character) => sum + (/[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uff00-\uff60]/.test(character) ? 2 : 1),
    0,
  );

const apply = (before: Style, codes: readonly number[]): Style => {
  let style = before;
  const add = (name: string) => ({ ...style, classes: [...style.classes, name] });
  const without = (...names: string[]) => ({
    ...style,
    classes: style.classes.filter((name) => !names.includes(name)),
  });
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0) style = PLAIN;
    else if (code === 1) style = add('b');
    else if (code === 2) style = add('d');
    else if (code === 3) style = add('i');
    else if (code === 9) style = add('s');
    else if (code === 22) style = without('b', 'd');
    else if (code === 23) style = without('i');
    else if (code === 29) style = without('s');
    else if (code === 39) style = { ...style, ink: '' };
    else if (code === 49) style = { ...style, paper: '' };
    else if (code === 38 || code === 48) {
      const color = shade(codes[index + 2] ?? 0);
      style = code === 38 ? { ...style, ink: color } : { ...style, paper: color };
      index += 2;
    } else if (code >= 30 && code < 38) style = { ...style, ink: PALETTE[code - 30] ?? '' };
    else if (code >= 90 && code < 98) style = { ...style, ink: PALETTE[code - 82] ?? '' };
  }
  return style;
};

/** A colour of the 256. */
const shade = (index: number): string => {
  if (index < 16) return PALETTE[index] ?? INK;
  if (index > 231) return gray(8 + (index - 232) * 10);
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level);
  return `rgb(${parts.join(',')})`;
};

const gray = (value: number): string => `rgb(${value},${value},${value})`;
