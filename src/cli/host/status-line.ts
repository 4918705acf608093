/** The person's own status line: a shell command of theirs, which gets the session as JSON on stdin. */
import type { Session } from '../../harness/index.ts';
import { ask } from './programs.ts';

/** Milliseconds and bytes. */
const PATIENCE = 2000;
const MOST = 1 << 20;

/** The first line that it prints; undefined where it prints none or fails. */
export async function runStatusLine(
  command: string,
  session: Session,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { usage, turns } = session.totals();
  const { tokens, window } = session.fill();
  const input = JSON.stringify({
    session_id: session.id,
    transcript_path: session.file,
    cwd: session.cwd,
    model: session.model,
    effort: session.effort ?? null,
    permission_mode: session.mode,
    cost_usd: usage.cost ?? null,
    turns,
    context: { used: tokens, window: window ?? null },
  });
  const argv = ['/bin/sh', '-c', command];
  const output = await ask({ argv, env, cwd: session.cwd, input, within: PATIENCE, most: MOST });
  return output?.toString('utf8').split('\n')[0] || undefined;
}
