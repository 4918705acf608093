/**
 * `rein` inside the agent's own shell: carries its arguments to the parent that waits at the socket, and the words of
 * the child back. It has no keys, no rights and no state.
 */
import { fstatSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';

const [socket = '', ...argv] = process.argv.slice(2);

/** Only a pipe or a file is read: the shell's own stdin is empty, a terminal there is none. */
function readStdin(): string {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isFile() ? readFileSync(0, 'utf8') : '';
  } catch {
    return '';
  }
}

const connection = connect(socket);
let rest = '';
connection.setEncoding('utf8');
connection.on('connect', () => {
  const visit = { argv, cwd: process.cwd(), stdin: readStdin(), call: process.env['REIN_CALL'] ?? '' };
  connection.write(`${JSON.stringify(visit)}\n`);
});
connection.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { out = '', err = '', exit } = JSON.parse(line);
    process.stdout.write(out);
    process.stderr.write(err);
    if (exit !== undefined) process.exitCode = exit;
  }
});
connection.on('error', () => {
  process.stderr.write('rein: the session that this shell belongs to is over.\n');
  process.exitCode = 1;
});
connection.on('close', () => {
  process.exitCode ??= 1;
});
