import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Entry, Logged } from '../../src/core/types.ts';
import { sessionPath } from '../../src/env/session-files.ts';
import { HEADER, textOf } from '../session/made.ts';

/** What every session begins with. */
export const opened = (cwd: string): Entry => ({
  type: 'opened',
  version: 1,
  cwd,
  system: 's',
  tools: [],
  model: 'anthropic/claude-sonnet-5-5',
});

/** Puts a session of these entries where rein finds it, and returns its path. */
export function putSession(
  { work, home }: { readonly work: string; readonly home: string },
  entries: readonly Logged[],
  id = HEADER.session,
  more = {},
): string {
  const path = sessionPath(join(home, 'rein', 'sessions'), work, id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, textOf(entries, { ...HEADER, session: id, cwd: work, ...more }));
  return path;
}
