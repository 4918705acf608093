import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explainFailure, installCommand } from '../../../src/env/sandbox/find.ts';
import { findSandbox } from '../../../src/env/sandbox/index.ts';
import { has } from '../../support/has.ts';
import { type Cell, createCell, finish, OPEN } from './cell.ts';

const KERNEL = { appArmor: '0', clone: '1', most: '1000' };

test.each([
  ['ID=ubuntu\nID_LIKE=debian\n', 'sudo apt install bubblewrap'],
  ['NAME="Fedora"\nID=fedora\n', 'sudo dnf install bubblewrap'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'sudo dnf install bubblewrap'],
  ['ID=manjaro\nID_LIKE=arch\n', 'sudo pacman -S bubblewrap'],
  ['ID=alpine', 'sudo apk add bubblewrap'],
  ['', "install bubblewrap with your system's package manager"],
])('E39 the fix for %j is %s', (osRelease, fix) => expect(installCommand(osRelease)).toBe(fix));

test('E39 a helper that can not start is explained by what the kernel says, and nothing is to be turned off', () => {
  const said = 'bwrap: setting up uid map: Permission denied';
  const explain = (more: Partial<typeof KERNEL>) => explainFailure(said, '/usr/bin/bwrap', { ...KERNEL, ...more });
  expect(explain({ appArmor: '1' })).toContain('/etc/apparmor.d/bwrap');
  expect(explain({ clone: '0' })).toContain('kernel.unprivileged_userns_clone');
  expect(explain({ most: '0' })).toContain('user.max_user_namespaces');
  expect(explain({})).toContain('outside of the container');
  expect(explainFailure("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", '/b', KERNEL)).toContain(
    '/proc',
  );
  expect(explainFailure('something else', '/b', KERNEL)).toBe('');
  for (const text of [explain({ appArmor: '1' }), explain({ clone: '0' })])
    expect(text).not.toMatch(/disable|=0|turn off/);
});

describe.skipIf(process.platform !== 'linux')('the helper', () => {
  let cell: Cell;
  let bin: string;
  beforeEach(() => {
    cell = createCell();
    bin = join(cell.base, 'bin');
    mkdirSync(bin);
  });
  afterEach(() => cell.close());

  const find = (path: string) => findSandbox(cell.walls, { platform: 'linux', env: { PATH: path } });
  const stub = (script: string) => {
    writeFileSync(join(bin, 'bwrap'), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    const found = find(`${bin}:${process.env['PATH']}`);
    if ('missing' in found) throw new Error(found.missing);
    return found;
  };

  test('E39 one that is not there is said with the fix', () => {
    expect(find(bin)).toEqual({ missing: expect.stringMatching(/^No bwrap on PATH \(.*bubblewrap.*\)\.$/) });
    expect(findSandbox({ ...cell.walls, root: '/' }, { platform: 'linux', env: process.env })).toHaveProperty(
      'missing',
    );
    expect(findSandbox(cell.walls, { platform: 'sunos', env: process.env })).toHaveProperty('missing');
  });

  test('E39 one that the workspace brings is not looked at', () => {
    const own = join(cell.root, 'node_modules/.bin');
    mkdirSync(own, { recursive: true });
    symlinkSync('/bin/true', join(own, 'bwrap'));
    expect(find(`${own}:.:node_modules/.bin`)).toHaveProperty('missing');
  });

  test.each([
    ['exits 1', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1', 'commands start'],
    ['exits 0 and runs nothing', 'exit 0', 'commands start'],
    ['just runs the command', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"', 'writes outside'],
    ['runs it without a read-only mode', `set -- "\${@/--ro-bind/--bind}"; exec /usr/bin/bwrap "$@"`, 'writes outside'],
    [
      'leaves the network open',
      `for a; do [ "$a" = --unshare-net ] || b+=("$a"); done; exec /usr/bin/bwrap "\${b[@]}"`,
      'network',
    ],
    ['can not be run', '\u0000', 'commands start'],
  ])('E39 one that %s is caught by the self-test, and nothing of the test stays', async (_, script, failing) => {
    const found = stub(script);
    const report = await found.selfTest();
    expect(report.ok).toBe(false);
    expect(report.checks.find(({ check }) => check === failing)).toMatchObject({ ok: false });
    for (const folder of [cell.root, cell.base, cell.home, cell.walls.temp]) {
      expect(readdirSync(folder).filter((name) => name.includes('probe'))).toEqual([]);
    }
    expect(readdirSync(cell.walls.holds).filter((name) => name.startsWith('trial'))).toEqual([]);
  });

  test.skipIf(!has('bwrap'))('a real one passes every line of the self-test', async () => {
    const report = await cell.found.selfTest();
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report).toMatchObject({ ok: true });
    expect(report.checks.length).toBeGreaterThan(8);
    expect(readdirSync(cell.root)).toEqual([]);
  });

  test.skipIf(!has('bwrap'))('E39 one that goes away later takes the command with it', async () => {
    symlinkSync('/usr/bin/bwrap', join(bin, 'bwrap'));
    const found = find(`${bin}:${process.env['PATH']}`);
    if ('missing' in found) throw new Error(found.missing);
    const launch = { argv: ['/bin/sh', '-c', `touch ${cell.home}/pwned ${cell.root}/made`], cwd: cell.root, env: {} };
    await finish(found, launch, OPEN);
    expect(existsSync(join(cell.root, 'made'))).toBe(true);
    rmSync(join(bin, 'bwrap'));
    rmSync(join(cell.root, 'made'));
    const ran = await finish(found, launch, OPEN).catch(() => ({ code: 127 }));
    expect(ran.code).toBe(127);
    expect(existsSync(join(cell.root, 'made'))).toBe(false);
    expect(existsSync(join(cell.home, 'pwned'))).toBe(false);
  });

  test.skipIf(!has('bwrap') || !has('setpriv') || process.getuid?.() !== 0)(
    'the same holds for an ordinary user as for root',
    { timeout: 60_000 },
    () => {
      const driver = fileURLToPath(new URL('./ordinary.ts', import.meta.url));
      const [program, ...user] = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'] as const;
      const { stdout, stderr } = spawnSync(program, [...user, process.execPath, driver], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
        timeout: 50_000,
      });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({
        user: 65534,
        report: true,
        escapes: [],
        written: 'ok',
        secret: false,
        left: ['made'],
        bomb: 'survived',
      });
    },
  );
});
