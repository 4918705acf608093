/** Runs lines with every program on PATH replaced by a recorder, and says what was really started. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Ran = { readonly line: number; readonly argv: readonly string[] };

/** These only start others, so after noting the call the recorder lets the real one start them, from the same PATH. */
const PASS: Readonly<Record<string, string>> = {
  env: 'env',
  timeout: 'timeout',
  nice: 'nice',
  nohup: 'nohup',
  xargs: 'xargs',
  bash: 'bash',
  sh: 'sh',
};

export type Recorder = {
  readonly folder: string;
  readonly run: (lines: readonly string[]) => Promise<{ ran: Ran[]; changed: string[] }>;
  readonly remove: () => void;
};

export function createRecorder(programs: readonly string[], real: (name: string) => string): Recorder {
  const base = mkdtempSync(join(tmpdir(), 'rein-record-'));
  const bin = join(base, 'bin');
  const log = join(base, 'log');
  const folder = join(base, 'work', 'app');
  mkdirSync(bin);
  mkdirSync(folder, { recursive: true });
  const bash = real('bash');
  for (const name of programs) {
    const pass = PASS[name] ? `exec ${real(name)} "$@"\n` : "printf '%s\\n' 'touch pwned' '-delete' \"$PWD\"\n";
    // What a recorder prints is hostile, so that a line which runs its output is found out.
    writeFileSync(join(bin, name), `${note(bash, name, log)}${pass}`);
    chmodSync(join(bin, name), 0o755);
  }
  const files: Files = { ...TEXTS, ls: note(bash, 'POISON', log), 'src/cat': note(bash, 'POISON', log) };
  fill(folder, files);
  writeFileSync(
    join(base, 'driver'),
    `while IFS= read -r -d '' line; do\nLINE_NUMBER=$((LINE_NUMBER+1)) export LINE_NUMBER\ncd '${folder}'\n'${bash}' -c "$line" </dev/null >/dev/null 2>&1\ndone\n`,
  );

  const run = async (lines: readonly string[]) => {
    writeFileSync(log, '');
    await drive(bash, join(base, 'driver'), lines, {
      PATH: bin,
      HOME: folder,
      LINE_NUMBER: '-1',
      x: 'touch pwned',
      y: '1 touch pwned -o pwned',
    });
    const ran = readFileSync(log, 'utf8')
      .split('\x1e')
      .filter(Boolean)
      .map((entry): Ran => {
        const [number, ...argv] = entry.replaceAll('\x1d', '\n').split('\x1f');
        return { line: Number(number), argv };
      });
    const changed = changes(folder, files);
    if (changed.length > 0) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      fill(folder, files);
    }
    return { ran, changed };
  };
  return { folder, run, remove: () => rmSync(base, { recursive: true, force: true }) };
}

type Files = Readonly<Record<string, string>>;
const TEXTS: Files = { a: 'text\n', 'b.txt': 'text\n', 'src/one.ts': 'text\n', 'dir with blank/x': 'text\n' };

/** One write for each call, so that calls at the same time do not mix: bash writes up to each line end at once. */
const note = (bash: string, name: string, log: string) =>
  `#!${bash}\nentry="$LINE_NUMBER"$'\\037'${name}\nfor arg; do entry+=$'\\037'"$arg"; done\nprintf '%s\\036' "\${entry//$'\\n'/$'\\035'}" >> '${log}'\n`;

/** Among the files are programs: a line that changes PATH would find them. */
function fill(folder: string, files: Files): void {
  mkdirSync(join(folder, 'src'));
  mkdirSync(join(folder, 'dir with blank'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}

function changes(folder: string, files: Files): string[] {
  const found = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !statSync(join(folder, name)).isDirectory());
  const extra = found.filter((name) => readFileSync(join(folder, name), 'utf8') !== files[name]);
  return [...extra, ...Object.keys(files).filter((name) => !found.includes(name))];
}

function drive(bash: string, driver: string, lines: readonly string[], env: Record<string, string>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const child = spawn(bash, [driver], { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const timer = setTimeout(() => {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  }, 60_000);
  child.on('close', () => {
    clearTimeout(timer);
    resolve();
  });
  child.stdin.on('error', () => {});
  child.stdin.end(lines.map((line) => `${line}\0`).join(''));
  return promise;
}
