/** Bad input is one line and the right exit code, and it asks nobody; good input arrives as it was given. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createWorld,
  KEY,
  lastResults,
  linesOf,
  MODELS,
  onGo,
  type Ran,
  resultLine,
  runs,
  type World,
} from '../support/rein.ts';

/** Neither keys nor addresses, and no way out of this machine. */
const bare = (world: World): Record<string, string | undefined> => ({
  ...Object.fromEntries(
    Object.keys(world.variables).flatMap((name) => (/_(API_KEY|BASE_URL)$/.test(name) ? [[name, undefined]] : [])),
  ),
  HTTPS_PROXY: 'http://127.0.0.1:1',
  REIN_OFFLINE: '1',
});

const answering = () => createWorld(() => ({ text: 'done' }));

/** Refused before anything was done: exit 2, one line, no request, no session. */
const expectUsage = (world: World, ran: Ran, line: RegExp): void => {
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^rein: [^\n]+\n$/);
  expect(ran.stderr).toMatch(line);
  expect(world.server.requests).toEqual([]);
  expect(world.logs()).toEqual([]);
};

const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an unknown flag', ['-p', 'x', '--nope'], /--nope.*--help/],
  ['a flag that is built later', ['-p', 'x', '--mcp-config', 'x'], /--mcp-config/],
  ['a command that is built later', ['mcp', 'list'], /unknown command: mcp.*rein -- mcp list/],
  ['no prompt', ['-p'], /nothing to do/],
  ['an empty prompt', ['-p', '  '], /nothing to do/],
  ['an unknown tool', ['-p', 'x', '--tools', 'nope'], /"nope".*bash/],
  ['no turns', ['-p', 'x', '--max-turns', '0'], /--max-turns/],
  ['a time that is none', ['-p', 'x', '--max-time', 'soon'], /--max-time/],
  ['money that is none', ['-p', 'x', '--max-cost', '-1'], /--max-cost/],
  ['a format that is none', ['-p', 'x', '-o', 'xml'], /text, json, stream-json/],
  ['a mode that is none', ['-p', 'x', '--permission-mode', 'wild'], /plan/],
  ['a folder that is none', ['-p', 'x', '-C', 'file.txt'], /file\.txt is not a folder/],
  ['a further folder that is none', ['-p', 'x', '--add-dir', 'none'], /none is not a folder/],
  ['an unknown vendor', ['-p', 'x', '-m', 'nope/model'], /nope\/model/],
  ['an unknown effort', ['-p', 'x', '--effort', 'nope'], /no effort nope.*minimal/],
  ['an unknown model alone', ['-p', 'x', '-m', 'nope'], /vendor/],
  ['an unknown session', ['-p', 'x', '-r', 'zzz'], /no session zzz.*rein sessions list/],
  ['E30 a session id that is a path upwards', ['-p', 'x', '-r', '../../x'], /no session/],
  ['no session to go on with', ['-p', 'x', '-c'], /no session/],
  ['--fork alone', ['-p', 'x', '--fork'], /--fork goes with/],
  ['a settings file that is missing', ['-p', 'x', '--settings', 'none.json'], /none\.json.*ENOENT/],
  ['a settings file that is a folder', ['-p', 'x', '--settings', '.'], /EISDIR/],
  ['settings that are broken', ['-p', 'x', '--settings', 'broken.json'], /broken\.json:3: /],
  ['a deny list that is none', ['-p', 'x', '--settings', '{"permissions":{"deny":"bash"}}'], /permissions\.deny/],
  ['an unknown setting', ['-p', 'x', '--settings', '{"permisions":{}}'], /permisions/],
  ['an assignment that is none', ['-p', 'x', '--set', 'nonsense'], /key=value/],
  ['a setting of the wrong type', ['-p', 'x', '--set', 'maxTurns=many'], /maxTurns: .*expected number/],
  ['two wrong settings', ['-p', 'x', '--settings', '{"maxCost":"x","bogus":1}'], /maxCost: .*number.*bogus/],
  ['a prompt file that is missing', ['-p', 'x', '--system-prompt', '@none.md'], /none\.md/],
  ['a schema that is no JSON', ['-p', 'x', '--json-schema', '{"type":'], /--json-schema/],
  ['a schema that is none', ['-p', 'x', '--json-schema', '{"type":"nope"}'], /--json-schema/],
  ['a cap on money that nobody can count', ['-p', 'x', '-m', 'groq/some/model', '--max-cost', '1'], /price/],
  ['a sessions command that is none', ['sessions', 'nope'], /sessions list/],
];

test('bad input is said in one line, exit 2, and nothing is asked', async () => {
  const world = await answering();
  writeFileSync(join(world.work, 'file.txt'), '');
  writeFileSync(join(world.work, 'broken.json'), '{\n  "maxTurns": 3,\n  "model" "x"\n}\n');
  for (let at = 0; at < WRONG.length; at += 4) {
    const some = WRONG.slice(at, at + 4);
    const ran = await Promise.all(some.map(([, argv]) => world.rein(argv)));
    some.forEach(([what, , line], index) => {
      const one = ran[index] ?? { code: null, stdout: '', stderr: '' };
      expect([what, one.code, one.stdout, one.stderr]).toEqual([
        what,
        2,
        '',
        expect.stringMatching(/^rein: [^\n]+\n$/),
      ]);
      expectUsage(world, one, line);
    });
  }
});

test('the user’s own settings file is named with its line, and left as it was', async () => {
  const world = await answering();
  const file = join(world.home, 'rein', 'settings.json');
  mkdirSync(join(world.home, 'rein'), { recursive: true });
  writeFileSync(file, '// mine\n{ "maxTurns": 3,, }');
  expectUsage(world, await world.rein(['-p', 'x']), /settings\.json:2: /);
  expect(readFileSync(file, 'utf8')).toBe('// mine\n{ "maxTurns": 3,, }');
  expect(await world.rein(['-p', 'x', '--safe-mode'])).toMatchObject({ code: 0 });
  writeFileSync(file, '// mine\n{ "maxTurns": 3, }');
  expect(await world.rein(['-p', 'x'])).toMatchObject({ code: 0 });
});

test('no model, and a model without its key, name the ways out', async () => {
  const world = await answering();
  const variables = bare(world);
  expectUsage(world, await world.rein(['-p', 'x'], { variables }), /ANTHROPIC_API_KEY.*Ollama.*the demo/);
  expectUsage(world, await world.rein(['-p', 'x', '-m', MODELS.anthropic], { variables }), /no key.*ANTHROPIC_API_KEY/);
});

test('a wrong key fails at once, in one line that names the variable', async () => {
  for (const [model, name] of [
    [MODELS.anthropic, 'ANTHROPIC'],
    [MODELS.chat, 'GROQ'],
    [MODELS.responses, 'OPENAI'],
  ]) {
    const world = await createWorld(() => ({ status: 401, message: `wrong key ${KEY}` }));
    const ran = await world.rein(['-p', 'x', '-m', model ?? '']);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr).toMatch(new RegExp(`^rein: [^\\n]*${name}_API_KEY[^\\n]*\\n$`));
    expect(ran.stderr).not.toContain('CANARY123');
    expect(world.server.requests).toHaveLength(1);
  }
});

test('a dead base URL and a connection that is always reset end in 75, with the address', async () => {
  const world = await createWorld(() => ({ fail: 'reset' }));
  const port = await freePort();
  const [dead, reset] = await Promise.all([
    world.rein(['-p', 'x'], { variables: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` } }),
    world.rein(['-p', 'x']),
  ]);
  expect(dead).toMatchObject({ code: 75, stdout: '' });
  expect(dead?.stderr).toMatch(new RegExp(`^rein: [^\\n]*127\\.0\\.0\\.1:${port}[^\\n]*ECONNREFUSED[^\\n]*\\n$`));
  expect(reset).toMatchObject({ code: 75, stdout: '' });
});

/** A port on which nobody listens. */
const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });

test('B34 a page instead of JSON is named with where it came from', async () => {
  const world = await createWorld(() => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<html>hotel</html>',
  }));
  const ran = await world.rein(['-p', 'x']);
  expect(ran.code).toBe(5);
  expect(ran.stderr).toMatch(/^rein: [^\n]*127\.0\.0\.1[^\n]*web page[^\n]*base URL[^\n]*\n$/);
});

test('E30 what follows -- is the prompt, dashes and all', async () => {
  const world = await answering();
  const prompt = '--dangerously-skip-permissions touch pwned';
  const ran = await world.rein(['-p', '-o', 'stream-json', '--', prompt]);
  expect(ran.code).toBe(0);
  expect(linesOf(ran.stdout)[0]).toMatchObject({ permissionMode: 'ask' });
  expect(world.server.requests[0]?.asked?.prompt).toBe(prompt);
});

test('a prompt of a megabyte and one of random bytes arrive', async () => {
  const world = await answering();
  const large = 'lorem ipsum '.repeat(90_000).trim();
  expect(await world.rein(['-p'], { stdin: large })).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(world.server.requests[0]?.asked?.prompt).toBe(large);
  const bytes = Uint8Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256);
  for (const model of [MODELS.anthropic, MODELS.chat, MODELS.responses]) {
    expect(await world.rein(['-p', 'what is this?', '-m', model], { stdin: bytes })).toMatchObject({
      code: 0,
      stderr: '',
    });
  }
});

test('the prompt files and flags make the system text', async () => {
  const world = await answering();
  mkdirSync(join(world.work, 'sub'));
  writeFileSync(join(world.work, 'AGENTS.md'), 'Rule of the project.');
  writeFileSync(join(world.work, 'CLAUDE.md'), 'Not this one.');
  writeFileSync(join(world.work, 'sub', 'CLAUDE.md'), 'Rule of sub.');
  writeFileSync(join(world.work, 'prompt.md'), 'You are a pirate.');
  const system = async (...argv: string[]): Promise<string> => {
    expect(await world.rein(['-p', 'x', ...argv])).toMatchObject({ code: 0 });
    return world.server.requests.at(-1)?.asked?.system ?? '';
  };
  const standard = await system();
  expect(standard).toMatch(/You are rein[\s\S]*Rule of the project\./);
  expect(standard).not.toContain('Not this one.');
  expect(await system('-C', 'sub')).toContain('Rule of sub.');
  const own = await system('--system-prompt', '@prompt.md', '--append-system-prompt', 'Be kind.');
  expect(own).toMatch(/^You are a pirate\.[\s\S]*Be kind\./);
  expect(own).not.toContain('You are rein');
});

test('--tools bash is the one-tool agent; settings and --set are read in their order', async () => {
  const world = await createWorld(onGo(...Array.from({ length: 9 }, (_, index) => runs(`echo ${index}`))));
  expect(await world.rein(['-p', 'go', '--tools', 'bash', '--yolo', '--max-turns', '1'])).toMatchObject({ code: 3 });
  expect(world.server.requests[0]?.asked?.tools.map(({ name }) => name)).toEqual(['bash']);
  mkdirSync(join(world.home, 'rein'), { recursive: true });
  writeFileSync(join(world.home, 'rein', 'settings.json'), '{ "maxTurns": 5, "permissionMode": "bypass" }');
  const turns = async (...argv: string[]) =>
    resultLine((await world.rein(['-p', 'go', '-o', 'json', ...argv])).stdout)['num_turns'];
  expect(await turns()).toBe(5);
  expect(await turns('--settings', '{"maxTurns": 4}')).toBe(4);
  expect(await turns('--settings', '{"maxTurns": 4}', '--set', 'maxTurns=3')).toBe(3);
  expect(await turns('--set', 'maxTurns=3', '--max-turns', '2')).toBe(2);
});

test('a vendor of the user’s own is one entry in settings, and aliases of other tools are understood', async () => {
  const world = await answering();
  const settings = JSON.stringify({
    vendors: { mine: { baseUrl: `${world.server.url}/mine/v1`, keys: [], model: 'm' } },
  });
  expect(await world.rein(['-p', 'x', '--settings', settings, '-m', 'mine'])).toMatchObject({
    code: 0,
    stdout: 'done\n',
  });
  expect(world.server.requests[0]?.path).toBe('/mine/v1/chat/completions');
  const alias = await world.rein(['exec', 'x', '--json', '--dangerously-skip-permissions', '--ephemeral']);
  expect(linesOf(alias.stdout)[0]).toMatchObject({ permissionMode: 'bypass' });
  const debug = await world.rein(['-p', 'x', '--debug']);
  expect(debug).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(debug.stderr).toMatch(/^debug: \d+ ms opened with \S+: \d+ tools/m);
  expect(debug.stderr).toMatch(/^debug: \d+ ms reply of \S+: done, /m);
  expect(debug.stderr).toMatch(/^debug: \d+ ms ended: done$/m);
  const help = await world.rein(['--help']);
  expect(await world.rein(['help'])).toEqual(help);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect((await world.rein(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('a working folder that was removed, and an empty variable, are said or passed over', async () => {
  const world = await answering();
  const ran = await world.shell('mkdir lost && cd lost && rmdir ../lost && rein -p x');
  expectUsage(world, ran, /folder/);
  const empty = { REIN_MODEL: '', NO_COLOR: '', XDG_CONFIG_HOME: '' };
  expect(await world.rein(['-p', 'x'], { variables: empty })).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
});

test('a state folder that can’t be made is said once, and the work goes on', async () => {
  const world = await createWorld(onGo(runs('touch ran')));
  const ran = await world.rein(['-p', 'go', '--yolo'], { variables: { REIN_HOME: '/dev/null/x' } });
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(ran.stderr).toMatch(/^rein: The session can't be saved[^\n]*\n(rein: [^\n]*\n)?$/);
  expect(world.file('ran')).toBe('');
});

test('more on stdin than any model takes is refused in a sentence, from a pipe and from a file', async () => {
  const world = await answering();
  const much = await world.shell('head -c 70000000 /dev/zero | tr "\\0" a > big; rein -p x < big; cat big | rein -p x');
  expect(much).toMatchObject({ code: 2, stdout: '' });
  expect(much.stderr.match(/^rein: more than 64 MB came on stdin.*$/gm)).toHaveLength(2);
  expect(world.server.requests).toEqual([]);
});

test('a removed folder is said by every command, and a time of weeks is no time that is over', async () => {
  const world = await answering();
  const gone = await world.shell('mkdir gone; cd gone; rmdir ../gone; rein sessions list');
  expect(gone).toMatchObject({ code: 2, stderr: expect.stringMatching(/^rein: this folder was removed[^\n]*\n$/) });
  expect(await world.rein(['-p', 'x', '--max-time', '700h'])).toMatchObject({ code: 0 });
});

test('an empty or relative variable never makes a folder of the repository the user’s own', async () => {
  const world = await createWorld(onGo(runs('touch ran')));
  for (const folder of ['.config/rein', 'conf/rein', 'rein']) {
    mkdirSync(join(world.work, folder), { recursive: true });
    writeFileSync(join(world.work, folder, 'settings.json'), '{"permissionMode": "bypass"}');
  }
  const before = readdirSync(world.work);
  const away = { XDG_CONFIG_HOME: join(world.home, 'conf'), XDG_STATE_HOME: join(world.home, 'state') };
  const forms: readonly Record<string, string | undefined>[] = [
    { REIN_HOME: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' },
    { REIN_HOME: undefined, XDG_CONFIG_HOME: 'conf', XDG_STATE_HOME: './state', XDG_CACHE_HOME: 'cache' },
    { REIN_HOME: '', HOME: '', ...away, XDG_CACHE_HOME: join(world.home, 'cache') },
  ];
  for (const variables of forms) {
    expect(await world.rein(['-p', 'go', '--sandbox', 'off'], { variables })).toMatchObject({ code: 0 });
    expect(lastResults(world)).toEqual([expect.stringMatching(/^ERROR: /)]);
    expect(readdirSync(world.work)).toEqual(before);
  }
  for (const name of ['HOME', 'REIN_HOME']) {
    const ran = await world.rein(['-p', 'go'], { variables: { [name]: 'rein', NODE_COMPILE_CACHE: undefined } });
    expect(ran).toEqual({ code: 2, stdout: '', stderr: `rein: ${name} must be an absolute path, not rein.\n` });
    expect(readdirSync(world.work)).toEqual(before);
  }
});
