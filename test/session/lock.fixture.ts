/** Takes and gives back a lock many times, and dies with it in its hand where `die` says so. Prints what it got. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { takeLock } from '../../src/env/lock.ts';

const [path = '', rounds = '1', die = ''] = process.argv.slice(2);
const inside = `${path}-inside`;

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

let held = 0;
while (held < Number(rounds)) {
  const lock = takeLock(path);
  if (typeof lock === 'number') continue;
  if (existsSync(inside) && alive(Number(readFileSync(inside, 'utf8')))) {
    process.stdout.write('two at once\n');
    process.exit(1);
  }
  writeFileSync(inside, String(process.pid));
  held++;
  // Time for others to come in, if they can.
  for (const end = performance.now() + Math.random(); performance.now() < end; );
  if (die === 'die' && held === Number(rounds)) process.kill(process.pid, 'SIGKILL');
  rmSync(inside, { force: true });
  lock.release();
}
process.stdout.write(`held ${held}\n`);
