import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program in a terminal of its own (tmux on a private socket), and what its screen shows. */
export type Pty = {
  /** tmux key names: `Enter`, `Escape`, `C-c`, `Up`. */
  readonly keys: (...names: string[]) => void;
  readonly type: (text: string) => void;
  /** Exactly these, in one write. */
  readonly bytes: (...bytes: number[]) => void;
  /** As a terminal with bracketed paste sends it. */
  readonly paste: (text: string) => void;
  /** What the screen shows; with `scrollback` everything above it too. */
  readonly screen: (options?: { scrollback?: boolean; escapes?: boolean }) => string;
  /** The screen once it holds `what`; throws with the last screen when it never does. */
  readonly until: (
    what: string | RegExp | ((screen: string) => boolean),
    options?: { scrollback?: boolean; ms?: number },
  ) => Promise<string>;
  /** From now on the raw bytes that the program writes go into this file too. */
  readonly record: (file: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly cursor: () => { x: number; y: number; visible: boolean };
  /** The program's process id, and whether it still runs. */
  /** What the window is called. */
  readonly title: () => string;
  readonly pid: () => number;
  readonly alive: () => boolean;
  /** Resolves when the program has ended. */
  readonly ended: () => Promise<void>;
  readonly close: () => void;
};

export type PtyOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
};

const until = async (done: () => boolean, what: () => string, ms = 10_000) => {
  const end = Date.now() + ms;
  while (!done()) {
    if (Date.now() > end) throw new Error(what());
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

export const openPty = (command: readonly string[], options: PtyOptions = {}): Pty => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-pty-'));
  const socket = join(folder, 'tmux');
  const config = join(folder, 'tmux.conf');
  // The screen stays when the program has left.
  writeFileSync(config, 'set -g history-limit 50000\nset -g remain-on-exit on\n');
  const tmux = (args: readonly string[], input?: string | Buffer) =>
    execFileSync('tmux', ['-S', socket, '-f', config, ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  const { columns = 80, rows = 24, env = {}, cwd = folder } = options;
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  tmux(['new-session', '-d', '-c', cwd, '-x', String(columns), '-y', String(rows), ...variables, line]);
  const ask = (format: string) => tmux(['display-message', '-p', format]).trim();
  const pid = Number(ask('#{pane_pid}'));

  const alive = () => ask('#{pane_dead}') === '0';
  const screen: Pty['screen'] = ({ scrollback = false, escapes = false } = {}) =>
    tmux(['capture-pane', '-p', ...(escapes ? ['-e'] : []), ...(scrollback ? ['-S', '-'] : [])]).trimEnd();
  return {
    keys: (...names) => void tmux(['send-keys', ...names]),
    type: (text) => void tmux(['send-keys', '-l', text]),
    bytes: (...bytes) => {
      tmux(['load-buffer', '-'], Buffer.from(bytes));
      tmux(['paste-buffer', '-r', '-d']);
    },
    paste: (text) => {
      tmux(['load-buffer', '-'], text);
      tmux(['paste-buffer', '-p', '-r', '-d']);
    },
    screen,
    until: async (what, { scrollback = false, ms = 10_000 } = {}) => {
      let seen = '';
      const there = () => {
        seen = screen({ scrollback });
        if (typeof what === 'function') return what(seen);
        return typeof what === 'string' ? seen.includes(what) : what.test(seen);
      };
      await until(there, () => `never saw ${what} on the screen:\n${seen}`, ms);
      return seen;
    },
    record: (file) => void tmux(['pipe-pane', '-O', `cat > '${file}'`]),
    resize: (x, y) => void tmux(['resize-window', '-x', String(x), '-y', String(y)]),
    cursor: () => {
      const [x = 0, y = 0, flag = 0] = ask('#{cursor_x} #{cursor_y} #{cursor_flag}').split(' ').map(Number);
      return { x, y, visible: flag === 1 };
    },
    title: () => ask('#{pane_title}'),
    pid: () => pid,
    alive,
    ended: () =>
      until(
        () => !alive(),
        () => `still runs:\n${screen()}`,
      ),
    close: () => {
      try {
        tmux(['kill-server']);
      } catch {
        // It had ended by itself.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
