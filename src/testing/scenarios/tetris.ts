import { readFileSync } from 'node:fs';
import type { Answer, Asked, Reply, Turn } from '../turn.ts';
import { type Job, nextReply } from './job.ts';

/** The task that the demo gives, to the scripted model and to a real one alike. */
export const tetrisTask =
  'Write a Tetris game in Python in the file tetris.py and make sure that it runs on this machine. ' +
  'Use tkinter; if that does not work here, fall back to curses. Try it out for real before you hand it over.';

const load = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The game's source: the rules, then a face. Both faces are real and playable. */
export const tetrisSource = (face: 'tk' | 'curses'): string => load('tetris_game.py') + load(`tetris_${face}.py`);

const tetrisChecks = {
  version: 'python3 --version',
  parse: `python3 -c 'import ast; ast.parse(open("tetris.py").read()); print("tetris.py parses")'`,
  window: `python3 -c 'import tkinter; tkinter.Tk().destroy(); print("a tkinter window opens")'`,
  curses: `python3 -c 'import curses; print("curses is there")'`,
  demo: 'python3 tetris.py --demo',
} as const;

/** Runs the curses game in a pseudo-terminal; the program comes on stdin, so that no file is left. */
export const watchCommand = (): string => `python3 - <<'WATCH'\n${load('tetris_watch.py')}WATCH`;

/**
 * The Tetris job as a function of the results received. `pause` is the time between events in milliseconds. It quotes
 * what came back and claims nothing else.
 */
export const tetris =
  (options: { pause?: number } = {}) =>
  (asked: Asked): Turn => {
    const pace = { pause: options.pause ?? 12 };
    if (!/tetris/i.test(asked.prompt)) return { ...pace, text: onlyJob };
    const names = asked.tools.map((tool) => tool.name);
    if (!names.includes('bash')) return { ...pace, text: 'I need the bash tool for this job, and it is not offered.' };
    return { ...pace, ...nextReply(work(names), asked.rounds) };
  };

const onlyJob = `I am a script, not a model, and know only one job. Ask me this:\n\n${tetrisTask}\n`;

const bash = (text: string, command: string): Reply => ({ text, calls: [{ name: 'bash', input: { command } }] });

const write = (text: string, content: string, names: readonly string[]): Reply =>
  names.includes('write_file')
    ? { text, calls: [{ name: 'write_file', input: { path: 'tetris.py', content } }] }
    : bash(text, `cat > tetris.py <<'TETRIS'\n${content}TETRIS\necho written`);

/** The first answer's text; a job makes one call at a time. */
const said = (answers: readonly Answer[]): string => answers[0]?.text.trim() ?? '';
const failed = (answers: readonly Answer[]): boolean =>
  answers[0]?.failed !== false || /^ERROR:|\[exit code: [1-9]/m.test(said(answers));

/** Its last lines, without the exit code, as a quotation. */
const quote = (text: string, lines = 3): string => {
  const kept = text.split('\n').filter((line) => line.trim() !== '' && !/^\[exit code: \d+\]$/.test(line));
  return kept
    .slice(-lines)
    .map((line) => `> ${line.slice(0, 200)}`)
    .join('\n');
};

const stop = (what: string, answer: string, left: string): Reply => ({
  text: `${what}\n\n${quote(answer) || '> (no output)'}\n\n${left}`,
});

function* work(names: readonly string[]): Job {
  const version = said(yield bash('First, which Python does this machine have?', tetrisChecks.version));
  const python = /Python 3\.\d+(\.\d+)?/.exec(version)?.[0];
  if (!python) {
    const left =
      'I stopped before writing anything: a game I cannot run is not finished. Install python3, then ask again.';
    return stop('I could not get a Python 3 to answer here:', version, left);
  }
  const draft = yield* deliver(`${python}. I write the tkinter version first.`, tetrisSource('tk'), names);
  if (draft) return draft;
  const window = said(yield bash('It parses. Does tkinter open a window here?', tetrisChecks.window));
  if (window.includes('a tkinter window opens')) return yield* playWindow(python);
  return yield* fallBack(python, window, names);
}

/** Writes the file and parses it. Returns a last reply where that failed. */
function* deliver(
  text: string,
  source: string,
  names: readonly string[],
): Generator<Reply, Reply | undefined, readonly Answer[]> {
  const written = yield write(text, source, names);
  if (failed(written))
    return stop('tetris.py could not be written:', said(written), 'So there is no new game to hand over.');
  const parsed = said(yield bash('Written. Does Python accept it?', tetrisChecks.parse));
  if (parsed.includes('tetris.py parses')) return undefined;
  return stop('I wrote tetris.py, but the syntax check did not pass:', parsed, 'The game has not been run.');
}

function* playWindow(python: string): Job {
  const played = said(yield bash('It does. Let the game play itself for a moment.', tetrisChecks.demo));
  const report = /^Score \d+, lines \d+, cells on the board \d+$/m.exec(played)?.[0];
  if (!report)
    return stop(
      'tetris.py is written and parses, but its trial did not end well:',
      played,
      'I cannot call it working.',
    );
  return {
    text: [
      'tetris.py is ready. What I know:\n',
      `- ${python}, and tkinter opens a window here.`,
      `- I let the game play by itself; it reported: ${report}.\n`,
      'Play it: `python3 tetris.py`',
    ].join('\n'),
  };
}

/** Why the window did not open, in words as plain as the answer allows. */
const reasonOf = (answer: string): string => {
  if (/No module named '?_?tkinter/i.test(answer)) return 'tkinter is not installed here';
  if (/display|TclError/i.test(answer)) return 'tkinter is installed, but there is no display to open a window on';
  return 'the tkinter check failed';
};

function* fallBack(python: string, window: string, names: readonly string[]): Job {
  const reason = reasonOf(window);
  const found = `No: ${reason}.\n\n${quote(window, 1)}\n\nA terminal is enough for Tetris. Is curses there?`;
  const curses = said(yield bash(found, tetrisChecks.curses));
  if (!curses.includes('curses is there')) {
    const left = `tetris.py holds the tkinter version: it parses, but it has not been run, because ${reason}.`;
    return stop('The curses check failed as well:', curses, left);
  }
  const rewritten = yield* deliver('It is. I write the game again for the terminal.', tetrisSource('curses'), names);
  if (rewritten) return rewritten;
  const watched = said(yield bash('Now I play it in a real pseudo-terminal, a few keys and then q.', watchCommand()));
  const board = boardOf(watched);
  if (!watched.includes('board drawn - the game ended with status 0') || board === '') {
    return stop('tetris.py (curses) parses, but its trial did not end well:', watched, 'I cannot call it working.');
  }
  const noted = names.includes('edit_file') ? yield* note(python) : '';
  return {
    text: [
      'tetris.py is ready. What I know:\n',
      `- ${python}. Of the tkinter version I know only that it parsed: ${reason}. So the game uses curses.`,
      `- I ran it in a pseudo-terminal and pressed keys; q ended it with status 0. Its screen before:\n\n${board}\n`,
      `${noted}Play it: \`python3 tetris.py\` (arrows or a, d, w, s; space drops, p pauses, q quits)`,
    ].join('\n'),
  };
}

/** The snapshot as an indented block. */
const boardOf = (watched: string): string =>
  watched
    .split('\n')
    .filter((line) => /^[|+]/.test(line))
    .map((line) => `    ${line}`)
    .join('\n');

/** Puts the fact into the file, and parses it again, since the file changed after its trial. */
function* note(python: string): Generator<Reply, string, readonly Answer[]> {
  const edits = [{ old: 'Status: not run yet.', new: `Status: ran in a pseudo-terminal under ${python}.` }];
  const text = 'The board is drawn and q ends it. I note that at the top of the file.';
  const edited = yield { text, calls: [{ name: 'edit_file', input: { path: 'tetris.py', edits } }] };
  if (failed(edited)) return 'The line "Status" at the top of the file could not be updated.\n';
  const parsed = said(yield bash('And check that the edit did no harm.', tetrisChecks.parse));
  return parsed.includes('tetris.py parses')
    ? '- Then I changed one comment line at the top of the file; it parses still.\n\n'
    : `- Then I changed one comment line at the top, and now the syntax check fails:\n\n${quote(parsed)}\n\n`;
}
