/** What is piped into rein joins the prompt. */
import { fstatSync, readFileSync } from 'node:fs';
import { UsageError } from './flags.ts';

/** Milliseconds that a pipe beside a prompt has to say something; daemons leave pipes open that never will. */
const PATIENCE = 2000;

/** More than any model takes. */
const MOST = 64 * 2 ** 20;
const tooMuch = () => new UsageError('more than 64 MB came on stdin. Name a file instead, which can be read in parts.');

/** `needed`: there is no prompt without it, so it is waited for. A terminal is never read. */
export async function readStdin(needed: boolean, warn: (text: string) => void): Promise<string> {
  const kind = kindOf();
  if (kind === 'file' && fstatSync(0).size > MOST) throw tooMuch();
  if (kind === 'file') return readFileSync(0, 'utf8');
  if (kind === 'none') return '';
  const stdin = process.stdin;
  stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let text = '';
    const end = () => {
      clearTimeout(timer);
      resolve(text);
    };
    const giveUp = () => {
      warn('nothing came on stdin; it goes on without.');
      stdin.destroy();
      end();
    };
    const timer = needed ? undefined : setTimeout(giveUp, PATIENCE);
    stdin.on('data', (chunk: string) => {
      clearTimeout(timer);
      if (text.length + chunk.length > MOST) {
        stdin.destroy();
        return reject(tooMuch());
      }
      text += chunk;
    });
    stdin.on('end', end);
    stdin.on('error', end);
  });
}

function kindOf(): 'file' | 'pipe' | 'none' {
  try {
    const kind = fstatSync(0);
    if (kind.isFile()) return 'file';
    return kind.isFIFO() || kind.isSocket() ? 'pipe' : 'none';
  } catch {
    return 'none';
  }
}
