/** `rein permissions test 'COMMAND'`: what would run, what decided about each part, and why. Nothing runs. */
import { safe } from '../front/render/safe.ts';
import { sandbox } from '../harness/doctor.ts';
import { testPermission } from '../harness/permission-test.ts';
import { wantsWall } from '../harness/wall.ts';
import type { Environment } from './environment.ts';
import { parseFlags, UsageError } from './flags.ts';
import { loadBase } from './load.ts';
import { warn } from './warn.ts';

const USE = "rein permissions test 'COMMAND' [--permission-mode …] [--json]";

/** Exit codes: 0 allowed, 4 asked or denied. */
export async function runPermissions(words: readonly string[], environment: Environment): Promise<number> {
  const [verb, ...rest] = words;
  const json = rest.includes('--json');
  const invocation = parseFlags(rest.filter((word) => word !== '--json'));
  if (verb !== 'test' || invocation.command !== 'prompt' || invocation.words.length === 0) throw new UsageError(USE);
  const base = await loadBase(invocation.flags, environment, { warn });
  const { settings } = base;
  const mode = settings.permissionMode ?? 'ask';
  const holds =
    wantsWall(settings, mode) && (await sandbox({ ...base, online: false })).every(({ state }) => state === 'ok');
  const command = invocation.words.join(' ');
  const { verdict, lines } = await testPermission(command, base, holds);
  const more = { command, mode, sandbox: holds ? 'on' : 'off' };
  const text = `${lines.map(safe).join('\n')}\nmode: ${mode}, sandbox: ${more.sandbox}\n`;
  process.stdout.write(json ? `${JSON.stringify({ ...more, verdict, lines }, null, 2)}\n` : text);
  return verdict === 'allow' ? 0 : 4;
}
