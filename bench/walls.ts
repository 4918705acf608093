import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGitFolders, findSandbox } from '../src/env/sandbox/index.ts';

const HIDDEN = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.config/gh', '.config/gcloud', '.netrc'];
const PROTECTED = ['.rein', '.mcp.json', '.envrc', '.vscode', '.idea'];

/** A sandbox with as many walls as a session has, around a repository in `base`. Throws where there is none here. */
export const buildSandbox = (base: string) => {
  const at = (name: string): string => join(base, name);
  const [root, home, temp, holds] = [at('app'), at('home'), at('temp'), at('holds')];
  for (const path of [root, temp, holds, ...HIDDEN.slice(0, -1).map((name) => join(home, name))]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(home, '.netrc'), '');
  spawnSync('git', ['init', '-q', root]);
  const git = findGitFolders(root);
  const protect = [...git.protect, ...PROTECTED.map((name) => join(root, name))];
  const walls = { ...git, root, home, temp, holds, protect, hidden: HIDDEN.map((name) => join(home, name)) };
  const found = findSandbox(walls, { platform: process.platform, env: process.env });
  if ('missing' in found) throw new Error(found.missing);
  return { sandbox: found.sandbox, root };
};
