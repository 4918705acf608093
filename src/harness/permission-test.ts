/** What the policy would say to a shell line in this folder, and why; nothing runs. */
import { createDisk } from '../env/disk.ts';
import { readGrammar } from '../env/grammar.ts';
import { createShell, testCommand } from '../policy/index.ts';
import { readRules } from './gates.ts';
import type { HarnessOptions } from './harness.ts';

export type PermissionTest = {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** One part of the line each, then the verdict, then the rule that "always" would grant. */
  readonly lines: readonly string[];
};

export async function testPermission(
  command: string,
  { settings, cwd, home }: Pick<HarnessOptions, 'settings' | 'cwd' | 'home'>,
  sandboxed: boolean,
): Promise<PermissionTest> {
  const rules = readRules(settings);
  const { outcome, lines } = await testCommand(command, {
    roots: [cwd, ...(settings.addDirs ?? [])],
    home,
    disk: createDisk(),
    shell: createShell(readGrammar, home),
    cwd: () => cwd,
    mode: () => settings.permissionMode ?? 'ask',
    rules: () => rules,
    sandboxed: () => sandboxed,
  });
  return { verdict: outcome.verdict, lines };
}
