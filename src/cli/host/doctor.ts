/** `/doctor`: what `rein doctor` says, without asking anybody outside of this machine. */
import { examine } from '../../harness/doctor.ts';
import type { Base } from '../load.ts';

const SIGNS = { ok: '✓', warn: '!', bad: '✗', info: '·' };

export async function doctorReport(base: Base): Promise<string> {
  const { columns, rows } = process.stdout;
  const says = `${base.variables['TERM'] ?? 'no TERM'}, ${columns}×${rows}`;
  const findings = [...(await examine({ ...base, online: false })), { what: 'terminal', state: 'info', says } as const];
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(({ what, state, says }) => `${SIGNS[state]} ${what.padEnd(width)}  ${says}`);
  return `\`\`\`\`\`\n${lines.join('\n')}\n\`\`\`\`\``;
}
