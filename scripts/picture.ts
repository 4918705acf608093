/**
 * `node scripts/picture.ts [out.svg] [COLUMNS ROWS]`: runs rein in tmux on the scripted Tetris job, as a person would,
 * and writes what the screen shows as an SVG. Nothing in it is drawn by hand.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { tetris } from '../src/testing/scenarios/tetris.ts';
import { startServer } from '../src/testing/server.ts';
import { openPty } from '../test/support/pty.ts';
import { toSvg } from './picture/svg.ts';

const root = dirname(import.meta.dirname);
const [out = join(root, 'docs/screen.svg'), columns = '92', rows = '27'] = process.argv.slice(2);
const prompt = 'Write a Tetris game in Python in the file tetris.py and try it out for real';
/** A moment when there is something to see: an edit that was made, a command that runs. */
const MOMENT = /ran in a pseudo-terminal[\s\S]*And check/;

const home = mkdtempSync(join(tmpdir(), 'rein-picture-'));
const work = join(home, 'tetris');
mkdirSync(join(work, '.git'), { recursive: true });
writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/main\n');
const server = await startServer(tetris(), { record: false });
const pty = openPty([process.execPath, join(root, 'bin/rein.cjs'), '--yolo'], {
  columns: Number(columns),
  rows: Number(rows),
  cwd: work,
  env: {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'scripted',
    REIN_HOME: join(home, 'home'),
    HOME: home,
    REIN_MODEL: 'anthropic/claude-opus-5-5',
    NO_PROXY: '127.0.0.1',
    COLORTERM: 'truecolor',
  },
});
try {
  await pty.until('claude-opus');
  pty.type(prompt);
  pty.keys('Enter');
  await pty.until(/Now I play it/, { ms: 60_000 });
  pty.type('and keep a high score');
  await pty.until(MOMENT, { ms: 60_000 });
  writeFileSync(out, toSvg(pty.screen({ escapes: true }), Number(columns)));
  console.log(out);
} finally {
  pty.close();
  await server.close();
  rmSync(home, { recursive: true, force: true });
}
