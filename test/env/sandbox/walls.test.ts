import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../support/has.ts';
import { type Cell, createCell, OPEN } from './cell.ts';

describe.skipIf(!has('bwrap') || process.platform !== 'linux')('behind bubblewrap', () => {
  let cell: Cell;
  beforeAll(() => {
    cell = createCell((base, root) => {
      mkdirSync(join(base, 'cache'));
      writeFileSync(join(root, '.env'), 'TOPSECRET\n');
      return { writable: [join(base, 'cache')], hidden: [join(base, 'home/.ssh'), join(root, '.env')] };
    });
  });
  afterAll(() => cell.close());

  test('the workspace, the private temp and added folders are writable, the rest is not', async () => {
    const { base, run, walls } = cell;
    const { out } = await run(
      `for d in "$W" "$TMPDIR" /tmp ${base}/cache; do echo ok > "$d/made" && echo "wrote $d"; done
       for d in "$H" ${base} /etc /usr /var/tmp / ${walls.holds}; do touch "$d/pwned" 2>/dev/null && echo "ESCAPED $d"; done; true`,
    );
    expect(out.match(/wrote/g)).toHaveLength(4);
    expect(out).not.toContain('ESCAPED');
    expect(readFileSync(join(walls.temp, 'made'), 'utf8')).toBe('ok\n');
    expect(existsSync(join(cell.home, 'pwned'))).toBe(false);
  });

  test('the private temp stays from command to command and is found from outside', async () => {
    await cell.run('echo kept > /tmp/note');
    expect((await cell.run('cat /tmp/note')).out).toBe('kept\n');
    expect(readFileSync(cell.found.sandbox.hostPath('/tmp/note'), 'utf8')).toBe('kept\n');
    expect(cell.found.sandbox.hostPath('/tmpfoo')).toBe('/tmpfoo');
    expect(existsSync('/tmp/note')).toBe(false);
  });

  test.each([
    'rm -rf ~',
    'rm -rf "$HOME"/',
    'rm -r -f -- ../home',
    'cd "$H/.." && rm -rf ./home',
    'D=; cd "$H" && rm -rf "$H$D"/*',
    'find ~ -delete',
    'rm --recursive --force $H',
    'mv $H /tmp/x',
    'shred -u $H/canary',
    ': > $H/canary',
  ])('E14 %s leaves the home as it was', async (command) => {
    await cell.run(command);
    expect(readFileSync(join(cell.home, 'canary'), 'utf8')).toBe('canary\n');
    expect(readFileSync(join(cell.home, '.ssh/id'), 'utf8')).toBe('TOPSECRET\n');
  });

  test.each([
    'cat .env $H/.ssh/id',
    'grep -r "" .env $H/.ssh',
    'cat .e*; cat < .env',
    `python3 -c 'print(open(".env").read())'`,
    'tar cO .env $H/.ssh',
    'cp .env b; cat b; ln .env c; cat c; ln -s .env d; cat d',
    'mv .env moved; cat moved',
    'mv $H/.ssh moved; cat moved/id; umount .env; cat .env; umount $H/.ssh; cat $H/.ssh/id',
  ])('E15 %s does not show what is hidden', async (command) => {
    expect((await cell.run(command)).out).not.toContain('TOPSECRET');
    // What a command did to the name must not help the next one.
    expect((await cell.run('cat .env moved b c d; cat moved/id')).out).not.toContain('TOPSECRET');
    expect(readFileSync(join(cell.root, '.env'), 'utf8')).toBe('TOPSECRET\n');
  });

  test('E15 a folder above a hidden file keeps its name, so that the next command does not find it elsewhere', async () => {
    const other = createCell((_base, root) => {
      mkdirSync(join(root, 'deep/er'), { recursive: true });
      writeFileSync(join(root, 'deep/er/.env'), 'TOPSECRET');
      return { hidden: [join(root, 'deep/er/.env')] };
    });
    await other.run('mv deep other; mv deep/er other');
    expect((await other.run('cat other/.env other/er/.env deep/er/.env')).out).not.toContain('TOPSECRET');
    other.close();
  });

  test('E16 without network neither TCP nor UDP leaves, and the user may open it for one command', async () => {
    const server = createServer((socket) => socket.end('hello'));
    const names = createSocket('udp4');
    const heard: string[] = [];
    names.on('message', (message) => heard.push(String(message)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => names.bind(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const call = `cat < /dev/tcp/127.0.0.1/${port}; echo TOP > /dev/udp/127.0.0.1/${names.address().port}`;
    expect((await cell.run(call)).out).not.toContain('hello');
    expect(heard).toEqual([]);
    const said = new Promise((resolve) => names.once('message', resolve));
    expect((await cell.run(call, { network: true })).out).toBe('hello');
    expect(String(await said)).toBe('TOP\n');
    server.close();
    names.close();
  });

  test('E23 a link out of the workspace is followed to what can be neither read nor written', async () => {
    symlinkSync(join(cell.home, '.ssh/id'), join(cell.root, 'l'));
    const { out } = await cell.run('cat l; ln -s "$H" d; echo x > d/x; echo x > l');
    expect(out).not.toContain('TOPSECRET');
    expect(existsSync(join(cell.home, 'x'))).toBe(false);
    expect(readFileSync(join(cell.home, '.ssh/id'), 'utf8')).toBe('TOPSECRET\n');
  });

  test('E24 a folder that is swapped for a link while it is written leads nowhere', async () => {
    mkdirSync(join(cell.home, 'out'));
    await cell.run(
      `( for i in {1..300}; do mkdir -p s; rm -rf s; ln -sfn "$H/out" s; rm -f s; done ) 2>/dev/null &
       for i in {1..500}; do echo x > s/x; done 2>/dev/null; wait`,
    );
    expect(readdirSync(join(cell.home, 'out'))).toEqual([]);
  });

  test('E25 a sibling whose name begins with that of the workspace is outside', async () => {
    mkdirSync(`${cell.root}-evil`);
    await cell.run('touch "$W-evil/x" "$W/../$(basename "$W")-evil/x" "$W/./../x"');
    expect(readdirSync(`${cell.root}-evil`)).toEqual([]);
    expect(existsSync(join(cell.base, 'x'))).toBe(false);
  });

  test('E43 the folder in which a command runs widens nothing', async () => {
    for (const cwd of [cell.home, '/var/tmp', '/']) {
      const { out } = await cell.run('pwd; touch pwned 2>/dev/null && echo ESCAPED', { cwd });
      expect(out).toBe(`${cwd}\n`);
    }
  });

  test('E45 whatever is started behind it is behind it: another program, its environment as given', async () => {
    const launch = { argv: ['/usr/bin/env'], cwd: cell.root, env: { ONLY: 'this', SSH_AUTH_SOCK: '/run/agent' } };
    const { argv, env } = cell.found.sandbox.wrap(launch, OPEN);
    expect(env).toEqual({ ONLY: 'this', TMPDIR: cell.walls.temp });
    expect(argv.slice(-1)).toEqual(['/usr/bin/env']);
    expect(argv.slice(0, argv.indexOf('--'))).toContain('--unshare-net');
  });

  test('plan mode: nothing at all is written, and what is put in /tmp goes with the command', async () => {
    const before = readdirSync(cell.root);
    const { out } = await cell.run(
      `for d in "$W" "$H" ${cell.base}/cache ${cell.walls.temp}; do touch "$d/new" 2>/dev/null && echo "ESCAPED $d"; done
       rm -rf "$W"/* 2>/dev/null; echo x > /tmp/scratch && cat <<< "$(cat /tmp/scratch)"; ls -A "$W" | wc -l`,
      { readonly: true },
    );
    expect(out).toBe(`x\n${before.length}\n`);
    expect(readdirSync(cell.root)).toEqual(before);
    expect((await cell.run('ls /tmp', { readonly: true })).out).toBe('');
    expect((await cell.run('cat .env $H/.ssh/id', { readonly: true })).out).not.toContain('TOPSECRET');
  });

  test.each([
    'mount -o remount,rw,bind / && touch "$H/pwned"',
    'mount -o remount,rw / ; touch "$H/pwned"',
    'umount "$W"; umount -l /; touch "$H/pwned"',
    'unshare -Urm sh -c \'mount -o remount,rw,bind /; mount -t tmpfs x "$H"; umount "$H/.ssh"; touch "$H/pwned"; cat "$H/.ssh/id"\'',
    'unshare -m sh -c \'mount -o remount,rw,bind /; touch "$H/pwned"\'',
    'bwrap --dev-bind / / sh -c \'touch "$H/pwned"; cat "$H/.ssh/id"\'',
    'nsenter -t 1 -m touch "$H/pwned"; nsenter -t $PPID -a touch "$H/pwned"',
    'touch /proc/1/root/$H/pwned /proc/self/root/$H/pwned; cat /proc/1/root/$H/.ssh/id; cat /proc/1/environ | tr "\\0" "\\n" | grep REIN_TEST',
    'mknod disk b 8 0; mknod disk2 b 254 0; cat /dev/sda /dev/vda 2>/dev/null | head -c 1',
    'chroot / touch "$H/pwned"',
    'for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper; do : >> $f && echo TOPSECRET $f; done',
    "unshare -Urmpf --mount-proc sh -c ': >> /proc/sys/kernel/core_pattern && echo TOPSECRET'",
    "unshare -Urmn sh -c 'mount -t sysfs x /mnt && : >> /mnt/kernel/mm/ksm/run && echo TOPSECRET'",
    'find /proc/sys /proc/irq /proc/fs /proc/bus -type f | while read f; do : 2>/dev/null >> "$f" && echo "TOPSECRET $f"; done',
  ])('as whoever runs this: %s', async (command) => {
    const { out } = await cell.run(command);
    expect(out).not.toContain('TOPSECRET');
    expect(existsSync(join(cell.home, 'pwned'))).toBe(false);
    expect(readFileSync(join(cell.home, 'canary'), 'utf8')).toBe('canary\n');
  });

  test('processes of others are neither seen nor hit', async () => {
    const { out } = await cell.run(`kill -9 ${process.pid}; ps -e | wc -l; ls /proc | grep -c '^[0-9]*$'`);
    expect(out).toContain('No such process');
  });

  test('the codes and signals of commands come through', async () => {
    const { run } = cell;
    expect((await run('exit 3')).code).toBe(3);
    expect((await run('kill -9 $$')).code).toBe(137);
    expect((await run('kill -TERM $$; sleep 5')).code).toBe(143);
    expect((await run('sh -c "kill -SEGV \\$\\$"')).code).toBe(139);
    expect((await run('no-such-program')).code).toBe(127);
  });

  test('a command that gets TERM ends in its own time', async () => {
    const { sandbox } = cell.found;
    const command = `trap 'sleep 0.2; echo tidy > tidied; exit 9' TERM; touch ready; while :; do sleep 0.05; done`;
    const launch = sandbox.wrap({ argv: ['/bin/bash', '-c', command], cwd: cell.root, env: process.env }, OPEN);
    const [program = '', ...args] = launch.argv;
    const child = spawn(program, args, { cwd: launch.cwd, env: launch.env, detached: true, stdio: 'ignore' });
    await expect.poll(() => existsSync(join(cell.root, 'ready')), { timeout: 10_000 }).toBe(true);
    const exit = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    expect(await exit).toBe(9);
    expect(readFileSync(join(cell.root, 'tidied'), 'utf8')).toBe('tidy\n');
    await launch.ended(child.pid);
  });

  test.each([
    [
      'C04 what leaves its group and clears its environment',
      'env -i setsid sleep 4117 & env -i setsid nohup sleep 4117 &',
      2,
    ],
    ['C30 a crowd', 'for i in {1..200}; do env -i setsid sleep 4118 & done', 200],
  ])('%s ends with its command', async (_, command) => {
    await cell.run(`${command} sleep 0.1`);
    expect(sleepers()).toEqual([]);
  });

  test('a socket of another program can not be spoken to, the door can', async () => {
    const folder = mkdtempSync(join(cell.base, 'sock-'));
    const [daemon, door] = [join(folder, 'docker.sock'), join(cell.base, 'door-1', 'socket')];
    mkdirSync(join(cell.base, 'door-1'));
    const servers = [daemon, door].map((path) => createServer((socket) => socket.end('hello')).listen(path));
    await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
    const other = createCell(() => ({ doors: [join(cell.base, 'door-1')], hidden: [], readable: [process.execPath] }));
    const talk = (path: string) =>
      other.run(
        `${process.execPath} -e 'const c=require("net").connect("${path}");c.on("data",d=>console.log(String(d)));c.on("error",e=>console.log(e.code))'`,
      );
    for (const network of [false, true]) {
      expect((await other.run(`test -S ${daemon} && echo there`, { network })).out).toBe('');
    }
    expect((await talk(daemon)).out).toMatch(/ECONNREFUSED|EACCES|ENOTSOCK/);
    expect((await talk(door)).out).toBe('hello\n');
    for (const server of servers) server.close();
    other.close();
  });

  test('what is readable inside of the hidden is read, not written, and its neighbours stay hidden', async () => {
    const other = createCell((base) => {
      mkdirSync(join(base, 'state/run/out'), { recursive: true });
      writeFileSync(join(base, 'state/run/out/long'), 'OUTPUT');
      writeFileSync(join(base, 'state/key'), 'TOPSECRET');
      for (const name of ['temp', 'holds']) mkdirSync(join(base, 'state/run', name));
      const [temp, holds] = [join(base, 'state/run/temp'), join(base, 'state/run/holds')];
      return { hidden: [join(base, 'state')], readable: [join(base, 'state/run/out')], temp, holds };
    });
    const state = join(other.base, 'state');
    const { out } = await other.run(
      `cat ${state}/run/out/long; find ${state}; cat ${state}/key; touch ${state}/run/out/x ${state}/x; echo kept > "$TMPDIR/t"`,
    );
    expect(readFileSync(join(state, 'run/temp/t'), 'utf8')).toBe('kept\n');
    expect(await other.found.selfTest()).toMatchObject({ ok: true });
    expect(out).toContain('OUTPUT');
    expect(out).not.toContain('TOPSECRET');
    expect(readdirSync(state).toSorted()).toEqual(['key', 'run']);
    expect(readdirSync(join(state, 'run/out'))).toEqual(['long']);
    other.close();
  });

  test('a workspace that is the home itself: its keys stay hidden, its start files as they are', async () => {
    const home = createCell((_base, root) => {
      mkdirSync(join(root, '.ssh'));
      writeFileSync(join(root, '.ssh/id'), 'TOPSECRET');
      writeFileSync(join(root, '.bashrc'), 'mine\n');
      return {
        hidden: [join(root, '.ssh'), join(root, '.aws')],
        protect: [join(root, '.bashrc'), join(root, '.zshrc')],
      };
    });
    const { out } = await home.run(
      'cat .ssh/id; echo x >> .bashrc; echo x > .zshrc; rm -rf .ssh .bashrc; echo fine > file',
    );
    expect(out).not.toContain('TOPSECRET');
    expect(readFileSync(join(home.root, '.bashrc'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(home.root, 'file'), 'utf8')).toBe('fine\n');
    expect(readFileSync(join(home.root, '.ssh/id'), 'utf8')).toBe('TOPSECRET');
    home.close();
  });

  test('hundreds of hidden files are no problem', async () => {
    const many = createCell((_base, root) => {
      const hidden = Array.from({ length: 300 }, (_, number) => join(root, `secret-${number}`));
      for (const path of hidden) writeFileSync(path, 'TOPSECRET');
      return { hidden };
    });
    expect((await many.run('cat secret-*; echo end')).out).not.toContain('TOPSECRET');
    many.close();
  });

  test('a wall that can not be built runs nothing', async () => {
    const broken = createCell();
    rmSync(broken.walls.temp, { recursive: true });
    const ran = await broken.run('touch made').catch(() => ({ code: 1, out: '' }));
    expect(ran.code).not.toBe(0);
    expect(statSync(join(broken.root, 'made'), { throwIfNoEntry: false })).toBeUndefined();
    broken.close();
  });
});

const sleepers = (): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && /^sleep\x00411[78]\x00/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    } catch {
      return false;
    }
  });
