/** `/doctor`: what `rein doctor` says, without asking anybody outside of this machine. */
import { examine } from '../../harness/doctor.ts';
import { table, terminal } from '../doctor.ts';
import type { Base } from '../load.ts';

export async function doctorReport(base: Base): Promise<string> {
  const findings = [...(await examine({ ...base, online: false })), terminal(base)];
  return `\`\`\`\`\`\n${table(findings)}\`\`\`\`\``;
}
