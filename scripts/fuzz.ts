/** `npm run fuzz [LINES] [SEED]`: many more generated lines through the policy than the test suite has time for. */
import { checkLines } from '../test/policy/soundness.ts';

const count = Number(process.argv[2] ?? 100_000);
const first = Number(process.argv[3] ?? Date.now() % 1_000_000_000);
const STEP = 5_000;
const sum = { total: 0, allowed: 0, started: 0 };
const violations: string[] = [];
for (let seed = first; sum.total < count; seed++) {
  const report = await checkLines(seed, Math.min(STEP, count - sum.total));
  sum.total += report.total;
  sum.allowed += report.allowed;
  sum.started += report.started;
  violations.push(...report.violations);
  const share = ((100 * sum.allowed) / sum.total).toFixed(1);
  console.log(
    `seed ${seed}: ${sum.total} lines, ${share} % allowed, ${sum.started} programs started, ${violations.length} violations`,
  );
  for (const violation of report.violations) console.log(`  ${violation}`);
}
process.exitCode = violations.length > 0 || sum.allowed < 0.3 * sum.total ? 1 : 0;
