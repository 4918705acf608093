import type { Assignment } from '../shell/index.ts';
import { LOUD_NAMES } from './shell-builtins.ts';

/** Variables of which no value makes a program run, load or write something. */
const HARMLESS = new Set(
  (
    'NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES LANG LANGUAGE TZ CI DEBUG VERBOSE ' +
    'NODE_ENV RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 DO_NOT_TRACK ' +
    'GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS'
  ).split(' '),
);

/** @returns why it may change what runs, or null */
export function judgeAssignment({ name, exported }: Assignment): string | null {
  if (HARMLESS.has(name) || /^LC_[A-Z]+$/.test(name)) return null;
  // A shell variable of lower case is seen by nobody but the line itself.
  if (!exported && /^[a-z_][a-z0-9_]*$/.test(name) && !LOUD_NAMES.test(name)) return null;
  return `${name} may change what programs do`;
}
