import { spawn } from 'node:child_process';

/** Milliseconds between asking a program to stop and making it. */
const GRACE = 2000;

/**
 * Starts a program of ours with a message pipe beside its output. It leads a process group of its own, so that a Ctrl-C
 * at the terminal reaches it through its parent alone.
 */
export function startProgram(options: {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}) {
  const [file = '', ...args] = options.argv;
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.environment,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.stdin);
  child.stdout?.setEncoding('utf8').on('data', options.out);
  child.stderr?.setEncoding('utf8').on('data', options.err);
  const ended = new Promise<number>((resolve) => {
    child.on('error', (error) => {
      options.err(`rein: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
  return {
    ended,
    send: (message: object) => {
      if (child.connected) child.send(message, () => {});
    },
    listen: (onMessage: (message: unknown) => void, onClose: () => void) => {
      child.on('message', onMessage);
      child.on('disconnect', onClose);
    },
    stop: () => {
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), GRACE).unref();
    },
  };
}
