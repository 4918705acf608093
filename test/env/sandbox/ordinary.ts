/** A program for `missing.test.ts`: tries the walls as whoever runs it and prints what came of it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCell } from './cell.ts';

const ESCAPES = [
  'touch "$H/pwned"',
  'mount -o remount,rw,bind / && touch "$H/pwned"',
  'unshare -Urm sh -c \'mount -o remount,rw,bind /; umount "$H/.ssh"; touch "$H/pwned"; cat "$H/.ssh/id"\'',
  'bwrap --dev-bind / / sh -c \'touch "$H/pwned"; cat "$H/.ssh/id"\'',
  'chmod 777 "$H/.ssh" "$H"; cat "$H/.ssh/id"; touch "$H/pwned"',
  'mkdir .rein; echo x > .rein/settings.json; mv .rein x; rmdir .rein; mkdir .rein && touch "$H/pwned" .rein/pwned',
  'touch /proc/1/root/$H/pwned; cat /proc/1/root/$H/.ssh/id',
];

const cell = createCell((base, root) => ({
  hidden: [join(base, 'home/.ssh')],
  protect: [join(root, '.rein'), join(root, '.git')],
}));
const report = await cell.found.selfTest();
const escapes: string[] = [];
let secret = false;
for (const command of ESCAPES) {
  const { out } = await cell.run(command);
  secret ||= out.includes('TOPSECRET');
  if (existsSync(join(cell.home, 'pwned'))) escapes.push(command);
}
const { out: written } = await cell.run('echo ok > made; cat made');
// The limit counts what is in the sandbox, not all that the user runs.
const { out: bomb } = await cell.run('(ulimit -u 60; f() { f | f & }; f) 2>/dev/null; sleep 0.3; echo survived');
cell.found.sandbox.close();
const left = readdirSync(cell.root);
cell.close();
const result = { user: process.getuid?.(), report: report.ok, escapes, secret, left };
console.log(JSON.stringify({ ...result, written: written.trim(), bomb: bomb.trim() }));
