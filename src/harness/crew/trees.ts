/** Working trees of their own for sub-agents that write beside each other; what they changed is handed back as a diff. */
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { createTurns } from '../../core/turns.ts';
import { addWorktree, diffWorktree, readBase, removeWorktree } from '../../env/worktree.ts';

export type Tree = {
  /** The folder to work in, absolute and real. */
  readonly folder: string;
  /** What the one who asked is told of the changes. A tree without any is removed. */
  readonly handBack: () => Promise<string>;
};

export type Trees = {
  /** A sentence where there can't be one. */
  readonly add: (cwd: string) => Promise<Tree | string>;
};

/** Characters of a diff in a result; the file has all of it. */
const MAX_DIFF = 12_000;

/** `home` is the folder that holds those of one session and its descendants. */
export function createTrees(home: string): Trees {
  // Git reads every working tree of a repository, and fails at one that is only half there.
  const inTurn = createTurns();
  const open = async (cwd: string): Promise<Tree> => {
    const base = await readBase(cwd);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const name = crypto.randomUUID().slice(0, 8);
    const path = join(realpathSync(home), name);
    await addWorktree(cwd, path, base.commit);
    const folder = join(path, relative(realpathSync(base.top), cwd));
    mkdirSync(folder, { recursive: true });
    const handBack = async () => {
      const diff = await diffWorktree(path, base.commit);
      if (diff === '') {
        await removeWorktree(cwd, path);
        return '[it changed nothing]';
      }
      const patch = `${path}.patch`;
      writeFileSync(patch, diff, { mode: 0o600 });
      return describe(diff, patch, path);
    };
    return {
      folder,
      handBack: () => inTurn(handBack).catch((error: unknown) => `[its changes are in ${path}: ${reasonOf(error)}]`),
    };
  };
  return {
    add: (cwd) =>
      inTurn(() => open(cwd)).catch(
        (error: unknown) => `a working tree of its own needs a git repository with a commit: ${reasonOf(error)}`,
      ),
  };
}

/** For a whole session: the tree of that name, made where it isn't there yet. A sentence where there can't be one. */
export async function openWorktree(
  stateFolder: string,
  cwd: string,
  name: string = crypto.randomUUID().slice(0, 8),
): Promise<{ readonly folder: string; readonly branch: string } | string> {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) return `${name} is no name for a working tree: use letters, digits and -.`;
  try {
    const base = await readBase(cwd);
    const home = join(stateFolder, 'worktrees', 'named');
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const path = join(realpathSync(home), `${basename(base.top)}-${name}`);
    const branch = `rein/${name}`;
    if (!existsSync(path)) await addWorktree(cwd, path, base.head, branch);
    const folder = join(path, relative(realpathSync(base.top), cwd));
    mkdirSync(folder, { recursive: true });
    return { folder, branch };
  } catch (error) {
    return `there can't be a working tree: ${reasonOf(error)}`;
  }
}

function describe(diff: string, patch: string, path: string): string {
  const shown =
    diff.length > MAX_DIFF ? `${diff.slice(0, MAX_DIFF).toWellFormed()}\n[cut: the file has the rest]` : diff;
  return `[it worked in ${path}; nothing has changed here. Take its changes over with: git apply ${patch}]\n${shown}`;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
