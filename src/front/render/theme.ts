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
  /** A line of a diff, and the words in it that differ. */
  readonly added: Style;
  readonly removed: Style;
  readonly addedWord: Style;
  readonly removedWord: Style;
  readonly keyword: Style;
  readonly string: Style;
  readonly number: Style;
};

export const THEMES = ['dark', 'light', 'colour-blind', 'none'] as const;
export type ThemeName = (typeof THEMES)[number];

/** How text becomes lines: the styles, and the width of things. Screens bring a measure that knows wide characters. */
export type Look = {
  readonly theme: Theme;
  readonly width: (text: string) => number;
  readonly wrap: (text: string, width: number) => readonly string[];
  /** At most so wide; `…` says that there was more. */
  readonly cut: (text: string, width: number) => string;
};

const none: Style = (text) => text;

// Each style ends itself alone, so that they nest.
const sgr =
  (open: string, close: number): Style =>
  (text) =>
    text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`;
const ink = (open: string): Style => sgr(open, 39);
const paper = (open: string): Style => sgr(`48;5;${open}`, 49);

/** The sixteen colours that every terminal lets its owner choose; marks of words take a shade of the 256. */
export const ansiTheme: Theme = {
  bold: sgr('1', 22),
  italic: sgr('3', 23),
  strike: sgr('9', 29),
  dim: sgr('2', 22),
  accent: ink('36'),
  code: ink('36'),
  good: ink('32'),
  bad: ink('31'),
  warn: ink('33'),
  added: ink('32'),
  removed: ink('31'),
  addedWord: paper('22'),
  removedWord: paper('52'),
  keyword: ink('35'),
  string: ink('32'),
  number: ink('33'),
};

const plainTheme = (): Theme => ({
  ...ansiTheme,
  ...Object.fromEntries(Object.keys(ansiTheme).map((name) => [name, none])),
});

/** Darker inks, pale marks. */
const lightTheme = (): Theme => ({
  ...ansiTheme,
  accent: ink('34'),
  code: ink('34'),
  good: ink('38;5;28'),
  bad: ink('38;5;160'),
  warn: ink('38;5;130'),
  added: ink('38;5;28'),
  removed: ink('38;5;160'),
  addedWord: paper('194'),
  removedWord: paper('224'),
  string: ink('38;5;28'),
  number: ink('38;5;130'),
});

/** Blue and orange, which no common kind of colour blindness confuses. */
const blueOrangeTheme = (): Theme => ({
  ...ansiTheme,
  good: ink('38;5;75'),
  bad: ink('38;5;208'),
  warn: ink('38;5;220'),
  added: ink('38;5;75'),
  removed: ink('38;5;208'),
  addedWord: paper('24'),
  removedWord: paper('94'),
  string: ink('38;5;75'),
});

export const themeOf = (color: boolean, name: ThemeName = 'dark'): Theme => {
  if (!color || name === 'none') return plainTheme();
  if (name === 'light') return lightTheme();
  return name === 'dark' ? ansiTheme : blueOrangeTheme();
};

/** For pipes and line mode: nothing is wrapped or cut, the terminal does it. */
export const plainLook = (color: boolean): Look => ({
  theme: themeOf(color),
  width: (text) => text.replace(/\x1b\[[\d;]+m/g, '').length,
  wrap: (text) => [text],
  cut: (text) => text,
});
