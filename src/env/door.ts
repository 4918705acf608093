/**
 * The door: `rein` on the PATH of the agent's shell is a thin client that speaks to this socket. The parent starts the
 * child, bounds it, pays for it and answers for it; the client only carries words.
 */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

export type Visit = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdin: string;
  /** The call whose shell this is, as its environment says: for the record, never for rights. */
  readonly call: string;
};

/** Runs a visitor's agent; resolves with its exit code. The signal aborts when the visitor goes away. */
export type Serve = (
  visit: Visit,
  output: { readonly out: (text: string) => void; readonly err: (text: string) => void },
  signal: AbortSignal,
) => Promise<number>;

export type Door = {
  /** The folder that holds it all. */
  readonly home: string;
  /** The folder that goes in front of PATH. */
  readonly bin: string;
  readonly close: () => void;
};

/** Bytes that the path of a socket may have: 103 on macOS, 107 on Linux. */
const MAX_SOCKET_PATH = 103;

/** `client` is the command line of the thin client, without its arguments. */
export async function openDoor(folder: string, client: readonly string[], serve: Serve): Promise<Door> {
  const roomy = Buffer.byteLength(join(folder, 'door-XXXXXX', 'socket')) <= MAX_SOCKET_PATH;
  // mkdtemp makes the folder the user's alone, wherever it lies.
  const home = mkdtempSync(join(roomy ? makePrivateFolder(folder) : tmpdir(), 'door-'));
  const socket = join(home, 'socket');
  const bin = join(home, 'bin');
  mkdirSync(bin, { mode: 0o700 });
  writeFileSync(join(bin, 'rein'), `#!/bin/sh\nexec ${[...client, socket].map(quote).join(' ')} "$@"\n`, {
    mode: 0o700,
  });

  const visitors = new Set<Socket>();
  const server = createServer((connection) => {
    visitors.add(connection);
    connection.on('close', () => visitors.delete(connection));
    receive(connection, serve);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
  server.unref();
  const close = () => {
    server.close();
    for (const visitor of visitors) visitor.destroy();
    rmSync(home, { recursive: true, force: true });
  };
  return { home, bin, close };
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The visitor sends one line; it gets lines `{out}`, `{err}` and at last `{exit}`. */
function receive(connection: Socket, serve: Serve): void {
  const gone = new AbortController();
  let text = '';
  let asked = false;
  const say = (line: object) => {
    if (connection.writable) connection.write(`${JSON.stringify(line)}\n`);
  };
  connection.setEncoding('utf8');
  connection.on('error', () => {});
  connection.on('close', () => gone.abort());
  const answer = async (line: string) => {
    const visit = readVisit(line);
    const output = { out: (out: string) => say({ out }), err: (err: string) => say({ err }) };
    if (!visit) output.err('rein: this is not how to ask for a sub-agent.\n');
    const exit = visit ? await serve(visit, output, gone.signal).catch(refused(output.err)) : 2;
    say({ exit });
    connection.end();
  };
  connection.on('data', (chunk: string) => {
    if (asked) return;
    const end = chunk.indexOf('\n');
    text += end < 0 ? chunk : chunk.slice(0, end);
    if (text.length > MAX_VISIT) connection.destroy();
    if (end < 0) return;
    asked = true;
    void answer(text);
  });
}

/** Characters of a visit: a prompt and what is piped into it. */
const MAX_VISIT = 64 * 2 ** 20;

const refused =
  (say: (text: string) => void) =>
  (error: unknown): number => {
    say(`rein: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  };

/** Whoever is in the sandbox may write here, so nothing is taken for granted. */
function readVisit(line: string): Visit | undefined {
  try {
    const visit: unknown = JSON.parse(line);
    if (typeof visit !== 'object' || visit === null) return undefined;
    const { argv, cwd = '/', stdin = '', call = '' }: Partial<Record<keyof Visit, unknown>> = visit;
    if (!Array.isArray(argv)) return undefined;
    return { argv: argv.map(String), cwd: String(cwd), stdin: String(stdin), call: String(call) };
  } catch {
    return undefined;
  }
}
