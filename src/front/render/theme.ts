type Style = (text: string) => string;

/** Few colours, and none of them carries a meaning alone: a sign or a word always says it too. */
export type Theme = {
  readonly bold: Style;
  readonly italic: Style;
  readonly strike: Style;
  readonly dim: Style;
  readonly accent: Style;
  readonly code: Style;
  readonly good: Style;
  readonly bad: Style;
  readonly warn: Style;
  readonly added: Style;
  readonly removed: Style;
};

/** How text becomes lines: the styles, and the width of things. Screens bring a measure that knows wide characters. */
export type Look = {
  readonly theme: Theme;
  readonly width: (text: string) => number;
  readonly wrap: (text: string, width: number) => readonly string[];
};

const none: Style = (text) => text;

// Each style ends itself alone, so that they nest.
const sgr =
  (open: number, close: number): Style =>
  (text) =>
    text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`;

const plainTheme: Theme = {
  bold: none,
  italic: none,
  strike: none,
  dim: none,
  accent: none,
  code: none,
  good: none,
  bad: none,
  warn: none,
  added: none,
  removed: none,
};

export const ansiTheme: Theme = {
  bold: sgr(1, 22),
  italic: sgr(3, 23),
  strike: sgr(9, 29),
  dim: sgr(2, 22),
  accent: sgr(36, 39),
  code: sgr(36, 39),
  good: sgr(32, 39),
  bad: sgr(31, 39),
  warn: sgr(33, 39),
  added: sgr(32, 39),
  removed: sgr(31, 39),
};

export const themeOf = (color: boolean): Theme => (color ? ansiTheme : plainTheme);

/** For pipes and line mode: nothing is wrapped, the terminal does it. */
export const plainLook = (color: boolean): Look => ({
  theme: themeOf(color),
  width: (text) => text.replace(/\x1b\[\d+m/g, '').length,
  wrap: (text) => [text],
});
