import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Asked, Reply, Turn } from '../../src/testing/index.ts';
import { tetris, tetrisTask } from '../../src/testing/index.ts';
import { tetrisSource, watchCommand } from '../../src/testing/scenarios/index.ts';
import { has } from '../support/has.ts';

type Machine = (name: string, command: string, content: string) => string;

const isReply = (turn: Turn): turn is Reply => !('raw' in turn || 'status' in turn || 'fail' in turn);

const asking = (rounds: Asked['rounds'], tools = ['bash', 'write_file', 'edit_file']): Asked => ({
  dialect: 'anthropic',
  vendor: 'anthropic',
  model: 'm',
  system: '',
  tools: tools.map((name) => ({ name, description: '', input: {} })),
  messages: [],
  prompt: tetrisTask,
  rounds,
});

const textOf = (reply: Reply) => [reply.text ?? ''].flat().join('');

/** Plays the job against a machine; returns the commands that ran, all that was said, and the last word. */
const play = (machine: Machine, tools?: string[]) => {
  const rounds: Asked['rounds'][number][] = [];
  const ran: string[] = [];
  for (;;) {
    const turn = tetris({ pause: 0 })(asking(rounds, tools));
    if (!isReply(turn)) throw new Error('no reply');
    const call = turn.calls?.[0];
    if (!call || rounds.length > 20) return { ran, last: textOf(turn) };
    const input: Readonly<Record<string, unknown>> =
      typeof call.input === 'object' && call.input ? { ...call.input } : {};
    const command = String(input['command'] ?? '');
    ran.push(command.split('\n')[0] || call.name);
    const text = machine(call.name, command, String(input['content'] ?? ''));
    rounds.push([{ id: 'x', name: call.name, input: call.input ?? {}, text, failed: text.startsWith('ERROR:') }]);
  }
};

const board = ['| . .[]|  Score 4', '+------+', 'board drawn - the game ended with status 0', '[exit code: 0]'].join(
  '\n',
);

/** A machine where all is well and tkinter is missing; `but` changes an answer. */
const machine =
  (but: (command: string, name: string) => string | undefined = () => undefined): Machine =>
  (name, script) => {
    const command = script.split('\n')[0] ?? '';
    const other = but(command, name);
    if (other !== undefined) return other;
    if (command.includes('--version')) return 'Python 3.12.1\n[exit code: 0]';
    if (command.includes('ast.parse')) return 'tetris.py parses\n[exit code: 0]';
    if (command.includes('import tkinter')) return "ModuleNotFoundError: No module named 'tkinter'\n[exit code: 1]";
    if (command.includes('import curses')) return 'curses is there\n[exit code: 0]';
    if (command.includes('WATCH')) return board;
    if (command.includes('--demo')) return 'Score 120, lines 0, cells on the board 12\n[exit code: 0]';
    return 'ok';
  };

const when = (part: string, answer: string) => machine((command) => (command.includes(part) ? answer : undefined));

test('tkinter missing: falls back to curses, plays it, quotes the board', () => {
  const { ran, last } = play(machine());
  expect(ran.map((line) => line.slice(0, 24))).toEqual([
    'python3 --version',
    'write_file',
    "python3 -c 'import ast; ",
    "python3 -c 'import tkint",
    "python3 -c 'import curse",
    'write_file',
    "python3 -c 'import ast; ",
    "python3 - <<'WATCH'",
    'edit_file',
    "python3 -c 'import ast; ",
  ]);
  expect(last).toContain('Python 3.12.1');
  expect(last).toContain('tkinter is not installed here');
  expect(last).toContain('    | . .[]|  Score 4');
});

test('python3 missing: says so, quotes it, writes nothing', () => {
  const { ran, last } = play(when('--version', 'bash: python3: command not found\n[exit code: 127]'));
  expect(ran).toHaveLength(1);
  expect(last).toContain('> bash: python3: command not found');
  expect(last).toContain('stopped before writing anything');
});

test('Python 2 and a refused shell are no Python 3', () => {
  expect(play(when('--version', 'Python 2.7.18')).ran).toHaveLength(1);
  expect(play(machine(() => 'ERROR: the person said no')).last).toContain('> ERROR: the person said no');
});

test('tkinter with a display: the window version is played and kept', () => {
  const { ran, last } = play(when('import tkinter', 'a tkinter window opens\n[exit code: 0]'));
  expect(ran.at(-1)).toBe('python3 tetris.py --demo');
  expect(last).toContain('Score 120, lines 0, cells on the board 12');
  expect(last).not.toContain('curses');
});

test('tkinter with a display, but the trial fails: it is not called working', () => {
  const but = machine((command) => {
    if (command.includes('import tkinter')) return 'a tkinter window opens';
    return command.includes('--demo') ? 'Traceback: boom\n[exit code: 1]' : undefined;
  });
  expect(play(but).last).toMatch(/> Traceback: boom[\s\S]*cannot call it working/);
});

test('tkinter without a display: says which of the two it was', () => {
  const answer = '_tkinter.TclError: no display name and no $DISPLAY environment variable\n[exit code: 1]';
  expect(play(when('import tkinter', answer)).last).toContain('there is no display');
  expect(play(when('import tkinter', 'Killed\n[exit code: 137]')).last).toContain('the tkinter check failed');
});

test('neither tkinter nor curses: hands over the file with what is known of it', () => {
  const { last } = play(when('import curses', "No module named '_curses'\n[exit code: 1]"));
  expect(last).toContain("> No module named '_curses'");
  expect(last).toContain('it parses, but it has not been run');
});

test('a file that can’t be written, or does not parse, ends the job', () => {
  expect(play(machine((_, name) => (name === 'write_file' ? 'ERROR: disk full' : undefined))).last).toContain(
    '> ERROR: disk full',
  );
  expect(play(when('ast.parse', 'SyntaxError: x\n[exit code: 1]')).last).toContain('has not been run');
});

test('a game that does not end with q, or draws nothing, is not called working', () => {
  const broken = '|\nno board - the game ended with status 137\n[exit code: 137]';
  expect(play(when('WATCH', broken)).last).toMatch(/status 137[\s\S]*cannot call it working/);
});

test('a refused edit is told', () => {
  expect(play(machine((_, name) => (name === 'edit_file' ? 'ERROR: no' : undefined))).last).toContain(
    'could not be updated',
  );
});

test('with bash alone the file goes through the shell, and nothing is edited', () => {
  const { ran } = play(machine(), ['bash']);
  expect(ran.filter((line) => line.startsWith("cat > tetris.py <<'TETRIS'"))).toHaveLength(2);
  expect(ran).not.toContain('edit_file');
});

test('another prompt is told that this is a script', () => {
  const turn = tetris()({ ...asking([]), prompt: 'hello' });
  expect(isReply(turn) && textOf(turn)).toContain('I am a script');
});

const folder = () => mkdtempSync(join(tmpdir(), 'tetris-'));
const run = (command: string, cwd: string) =>
  spawnSync('bash', ['-c', command], { cwd, encoding: 'utf8', timeout: 25_000 });

test.skipIf(!has('python3'))('both faces parse, and the rules clear lines, score and end', () => {
  const cwd = folder();
  for (const face of ['tk', 'curses'] as const) {
    writeFileSync(join(cwd, 'tetris.py'), tetrisSource(face));
    expect(run(`python3 -c 'import ast; ast.parse(open("tetris.py").read())'`, cwd).status).toBe(0);
  }
  writeFileSync(join(cwd, 'tetris.py'), tetrisSource('tk').split('\nimport sys')[0] ?? '');
  const check = `
from tetris import *
game = Game(1)
for x in range(WIDTH): game.board[x, HEIGHT - 1] = "I"
game.name, (game.size, game.cells), game.x, game.y = "O", PIECES["O"], 4, 0
game.drop()
assert game.lines == 1 and game.score == 100 + 17 * 2 - 0, (game.lines, game.score)
assert (4, HEIGHT - 1) in game.board and (0, HEIGHT - 1) not in game.board
for turns in range(4): assert game.turn()
game.lines = 30
assert game.level == 4 and game.delay < 0.5
bag = [game.draw() for _ in range(70)]
assert set(bag) == set(PIECES)
while not game.over: game.drop()
assert not game.move(1) and not game.turn()
print("rules hold")
`;
  writeFileSync(join(cwd, 'check.py'), check);
  const checked = run('python3 check.py', cwd);
  expect(checked.stderr + checked.stdout).toBe('rules hold\n');
});

test.skipIf(!has('python3'))('the window face plays its demo on a stand-in for tkinter', () => {
  const cwd = folder();
  const standIn = `
class Canvas:
    def __init__(self, *a, **k): self.drawn = 0
    def __getattr__(self, name): return lambda *a, **k: None
class Tk:
    def __init__(self): self.jobs, self.now, self.alive = [], 0, True
    def title(self, text): pass
    def bind(self, what, how): pass
    def destroy(self): self.alive = False
    def after(self, ms, job, *args): self.jobs.append((self.now + ms, len(self.jobs), job, args))
    def mainloop(self):
        while self.alive:
            first = min(self.jobs)
            self.jobs.remove(first)
            self.now = first[0]
            first[2](*first[3])
`;
  writeFileSync(join(cwd, 'tkinter.py'), standIn);
  writeFileSync(join(cwd, 'tetris.py'), tetrisSource('tk'));
  const played = run('python3 tetris.py --demo', cwd);
  expect(played.stderr + played.stdout).toMatch(/^Score \d+, lines 0, cells on the board 12\n$/);
});

test.skipIf(!has('python3'))(
  'the job on this machine: real commands, and a board drawn in a pseudo-terminal',
  { timeout: 60_000 },
  () => {
    const cwd = folder();
    const path = join(cwd, 'tetris.py');
    const { ran, last } = play((name, command, content) => {
      if (name === 'write_file') writeFileSync(path, content);
      if (name === 'edit_file') {
        const source = readFileSync(path, 'utf8');
        writeFileSync(path, source.replace('Status: not run yet.', 'Status: ran in a pseudo-terminal.'));
      }
      if (name !== 'bash') return 'ok';
      // As on a machine without a display, wherever the test runs.
      const done = run(`unset DISPLAY WAYLAND_DISPLAY; ${command}`, cwd);
      return `${done.stdout}${done.stderr}[exit code: ${done.status}]`;
    });
    expect(ran).toContain('edit_file');
    expect(last).toMatch(/tetris\.py is ready[\s\S]*\[\][\s\S]*Score \d+/);
    const again = run(watchCommand(), cwd);
    expect(again.stdout).toContain('board drawn - the game ended with status 0');
  },
);
