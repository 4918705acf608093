/** Programs of this machine that the interactive mode asks for something: the clipboard, a status line. */
import { spawn } from 'node:child_process';

export type Asked = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Given to it on stdin. */
  readonly input?: string;
  /** Milliseconds. */
  readonly within: number;
  /** Bytes of output that are taken at most; 0 where it may live on, as the owner of a clipboard does. */
  readonly most: number;
};

/** Its output; undefined where it is not there, failed, or was too slow. */
export const ask = ({ argv, env, cwd, input, within, most }: Asked): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const [program = '', ...args] = argv;
    const chunks: Buffer[] = [];
    let size = 0;
    const child = spawn(program, args, { env, cwd, stdio: ['pipe', most > 0 ? 'pipe' : 'ignore', 'ignore'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), within);
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    const end = (good: boolean) => {
      clearTimeout(timer);
      resolve(good ? Buffer.concat(chunks) : undefined);
    };
    child.once('error', () => end(false));
    child.once(most > 0 ? 'close' : 'exit', (code) => end(code === 0));
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
