import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { readRecords } from '../../src/session/index.ts';
import type { Scenario, ScriptedServer } from '../../src/testing/index.ts';
import { startServer } from '../../src/testing/server.ts';
import { has } from './has.ts';
import { openPty, type Pty } from './pty.ts';
import { BIN } from './rein.ts';

export const it = test.skipIf(!has('tmux'));

export type Opened = Pty & {
  readonly home: string;
  readonly work: string;
  readonly server: ScriptedServer | undefined;
  readonly logs: () => ReturnType<typeof readRecords>[];
  /** Types a line and sends it. */
  readonly send: (line: string) => void;
};

type Folders = { readonly home: string; readonly work: string };

export type OpenOptions = {
  readonly argv?: readonly string[];
  readonly env?: (folders: Folders) => Readonly<Record<string, string>>;
  /** Makes files before it starts. */
  readonly prepare?: (folders: Folders) => void;
};

/** The real program on a scripted server, in a terminal. Without a scenario it has no key, and looks for no server. */
export const openRein = async (scenario: Scenario | undefined, options: OpenOptions = {}): Promise<Opened> => {
  const { argv = ['--yolo'], env = () => ({}), prepare } = options;
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'rein-program-')));
  const work = join(home, 'work');
  mkdirSync(work);
  mkdirSync(join(home, 'rein'), { mode: 0o700 });
  prepare?.({ home, work });
  const server = scenario ? await startServer(scenario) : undefined;
  const wire = server
    ? { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'scripted', REIN_MODEL: 'anthropic/scripted' }
    : { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', REIN_OFFLINE: '1' };
  const own = { HOME: home, REIN_HOME: join(home, 'rein'), NO_PROXY: '127.0.0.1', SHELL: '/bin/bash' };
  // A shell's start files come after what tmux sets.
  const variables = Object.entries({ ...wire, ...own, ...env({ home, work }) }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const pty = openPty(['env', ...variables, process.execPath, BIN, ...argv], { cwd: work });
  onTestFinished(async () => {
    pty.close();
    await server?.close();
    // The program may still write its history as it leaves.
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  // Before that the line discipline would make a new line out of Enter.
  await pty.until(scenario ? 'anthropic/scripted' : 'Welcome');
  const logs = () => {
    const sessions = join(home, 'rein/sessions');
    const names = existsSync(sessions) ? readdirSync(sessions, { recursive: true, encoding: 'utf8' }) : [];
    return names
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readRecords(readFileSync(join(sessions, name), 'utf8')));
  };
  const send = (line: string) => {
    pty.type(line);
    pty.keys('Enter');
  };
  return { ...pty, home, work, server, logs, send };
};
