import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findGitFolders, findSandbox } from '../../../src/env/sandbox/index.ts';
import { has } from '../../support/has.ts';
import { type Cell, createBase, createCell, finish, OPEN } from './cell.ts';

const NAMES = ['.rein', '.mcp.json', '.envrc', '.vscode/tasks.json', '.husky/pre-commit'];
const named = (_base: string, root: string) => ({ protect: NAMES.map((name) => join(root, name)) });

const git = (folder: string, ...args: string[]) => {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main'];
  return spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).stdout;
};
const COMMIT = 'git -c user.name=a -c user.email=a@b commit -q -m';

const repository = (_base: string, root: string) => {
  git(root, 'init', '-q');
  writeFileSync(join(root, 'file'), 'one\n');
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'first');
  return findGitFolders(root);
};

describe.skipIf(!has('bwrap') || !has('git') || process.platform !== 'linux')(
  'names that must stay as they are',
  () => {
    const cells: Cell[] = [];
    const bases: string[] = [];
    const open = (more: Parameters<typeof createCell>[0]): Cell => {
      const cell = createCell(more);
      cells.push(cell);
      return cell;
    };
    afterEach(() => {
      for (const cell of cells.splice(0)) cell.close();
      for (const base of bases.splice(0)) rmSync(base, { recursive: true, force: true });
    });

    test('E26 a protected name that does not exist can not be made, and nothing of it is left', async () => {
      const cell = open(named);
      await cell.run(
        `for n in ${NAMES.join(' ')} .rein/settings.json .vscode/x; do
         mkdir -p "$(dirname $n)"; echo evil > $n; mkdir -p $n; ln -s /etc $n/l; rm -rf $n; mv $(mktemp) $n; cp -r /etc/hostname $n
       done; rm -rf .rein; mkdir .rein; echo '{}' > .rein/settings.json; echo fine > other`,
      );
      cell.found.sandbox.close();
      expect(readdirSync(cell.root)).toEqual(['other']);
    });

    test('E26 an existing one keeps its text, its mode and its place', async () => {
      const cell = open((base, root) => {
        mkdirSync(join(root, '.vscode'));
        writeFileSync(join(root, '.vscode/tasks.json'), 'mine', { mode: 0o640 });
        writeFileSync(join(root, '.envrc'), 'mine');
        return named(base, root);
      });
      await cell.run(
        `echo evil > .envrc; sed -i s/mine/evil/ .envrc .vscode/tasks.json; chmod 777 .envrc; mv .envrc x; rm -rf .vscode
       mv .vscode v; ln -sf /etc/passwd .envrc; cp -r .vscode copy && mv copy .vscode; echo more > .vscode/settings.json`,
      );
      for (const name of ['.envrc', '.vscode/tasks.json'])
        expect(readFileSync(join(cell.root, name), 'utf8')).toBe('mine');
      expect(lstatSync(join(cell.root, '.vscode/tasks.json')).mode & 0o777).toBe(0o640);
      // The folder itself is no protected name.
      expect(readFileSync(join(cell.root, '.vscode/settings.json'), 'utf8')).toBe('more\n');
    });

    test('E26 a held name is nothing to git, inside or outside, while a command runs', async () => {
      const cell = open((base, root) => {
        const folders = repository(base, root);
        return { ...folders, protect: [...folders.protect, ...named(base, root).protect] };
      });
      const { out } = await cell.run(
        `git status --porcelain; echo two > file; git add -A && ${COMMIT} second; git show --stat`,
      );
      expect(out).toContain('1 file changed');
      for (const name of NAMES) expect(out).not.toContain(name);
      expect(git(cell.root, 'status', '--porcelain')).toBe('');
    });

    test('E26 of two sessions in one folder the last one clears the names, and a dead one is cleared up after', async () => {
      const first = open(named);
      const { walls } = first;
      const found = findSandbox(walls, { platform: 'linux', env: process.env });
      if ('missing' in found) throw new Error(found.missing);
      await first.run('true');
      await finish(found, { argv: ['/bin/true'], cwd: walls.root, env: process.env }, OPEN);
      first.found.sandbox.close();
      expect(existsSync(join(walls.root, '.rein'))).toBe(true);
      found.sandbox.close();
      expect(readdirSync(walls.root)).toEqual([]);

      // A session that was killed leaves its file and its folders.
      found.sandbox.wrap({ argv: ['/bin/true'], cwd: walls.root, env: {} }, OPEN);
      const file = readdirSync(walls.holds).find((name) => name.includes(`.${process.pid}.`)) ?? '';
      const dead = spawnSync('true').pid;
      renameSync(join(walls.holds, file), join(walls.holds, file.replace(`.${process.pid}.`, `.${dead}.`)));
      first.found.sandbox.close();
      expect(readdirSync(walls.root)).toEqual([]);
    });

    test('what a person allowed to be written gets its name back, and is protected as a file from then on', async () => {
      const cell = open(named);
      await cell.run('true');
      cell.found.sandbox.release(join(cell.root, '.vscode/tasks.json'));
      mkdirSync(join(cell.root, '.vscode'));
      writeFileSync(join(cell.root, '.vscode/tasks.json'), 'allowed');
      await cell.run('echo evil > .vscode/tasks.json');
      expect(readFileSync(join(cell.root, '.vscode/tasks.json'), 'utf8')).toBe('allowed');
    });

    test('a folder of the user that looks like a held name is not taken away', async () => {
      const cell = open((base, root) => {
        mkdirSync(join(root, '.husky'));
        chmodSync(join(root, '.husky'), 0o755);
        return named(base, root);
      });
      await cell.run('true');
      cell.found.sandbox.close();
      expect(readdirSync(cell.root)).toEqual(['.husky']);
    });

    test('git works, its hooks and settings stay as they are, also behind a renamed folder', async () => {
      const cell = open(repository);
      const before = readFileSync(join(cell.root, '.git/config'), 'utf8');
      const hooks = readdirSync(join(cell.root, '.git/hooks'));
      const { out } = await cell.run(
        `echo two > file; ${COMMIT} second -a && git checkout -q -b topic && git stash list && git log --oneline | wc -l
       mv .git g && cp -r g .git; mv .git/hooks h; echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil
       echo evil >> .git/config; rm -rf .git/hooks; mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout`,
      );
      expect(out.split('\n')[0]).toBe('2');
      expect(readFileSync(join(cell.root, '.git/config'), 'utf8')).toBe(before);
      expect(readdirSync(join(cell.root, '.git/hooks'))).toEqual(hooks);
      expect(git(cell.root, 'branch', '--show-current')).toBe('topic\n');
    });

    test('a file that would make git read other settings is moved aside and named', async () => {
      const cell = open(repository);
      const { notes } = await cell.run('mkdir evil; echo ../evil > .git/commondir');
      expect(notes.join()).toContain('.git/commondir');
      expect(existsSync(join(cell.root, '.git/commondir'))).toBe(false);
      expect(readFileSync(join(cell.root, '.git/commondir.untrusted'), 'utf8')).toBe('../evil\n');
    });

    test('a protected link is put back when a command replaced it', async () => {
      const cell = open((base, root) => {
        mkdirSync(join(root, 'config'));
        symlinkSync('config', join(root, '.vscode'));
        return named(base, root);
      });
      const { notes } = await cell.run('rm .vscode; mkdir .vscode; echo evil > .vscode/tasks.json');
      expect(notes.join()).toContain('.vscode');
      expect(readlinkSync(join(cell.root, '.vscode'))).toBe('config');
      expect(readFileSync(join(cell.root, '.vscode.untrusted/tasks.json'), 'utf8')).toBe('evil\n');
    });

    test('a commit works in a worktree and in a folder inside of a repository', async () => {
      const main = createBase();
      bases.push(main);
      repository(main, main);
      git(main, 'worktree', 'add', '-q', join(main, 'tree'));
      mkdirSync(join(main, 'part'));
      for (const root of [join(main, 'tree'), join(main, 'part')]) {
        const cell = open(() => ({ root, ...findGitFolders(root) }));
        const hook = join(main, '.git/hooks/pre-commit');
        const { out } = await cell.run(
          `echo x > new; git add new && ${COMMIT} third && echo done; echo evil > ${hook}; echo evil >> ${main}/.git/config
         echo x > ${main}/file; echo 'gitdir: /etc' > .git; git init -q 2>/dev/null && echo 'new repository'`,
          { cwd: root },
        );
        expect(out).toContain('done');
        expect(existsSync(hook)).toBe(false);
        expect(readFileSync(join(main, '.git/config'), 'utf8')).not.toContain('evil');
        expect(readFileSync(join(main, 'file'), 'utf8')).toBe('one\n');
      }
    });

    test('a .git file that names a repository which does not know of it opens nothing', () => {
      const [victim, root] = [createBase(), createBase()];
      bases.push(victim, root);
      repository(victim, victim);
      git(victim, 'worktree', 'add', '-q', join(victim, 'tree'));
      writeFileSync(join(root, '.git'), `gitdir: ${victim}/.git/worktrees/tree\n`);
      expect(findGitFolders(root)).toEqual({ writable: [], protect: [join(root, '.git')], watched: [] });
      expect(findGitFolders(join(victim, 'tree')).writable).toEqual([join(victim, '.git')]);
    });
  },
);
