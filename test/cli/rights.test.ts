/** What a sub-agent may is a part of what its parent may: rights, caps, keys and settings. */

import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Asked, Turn } from '../../src/testing/index.ts';
import { answer, calls, childResults, family, lastResult } from '../support/family.ts';
import { alive, bash, createWorld, MODELS, resultLine, runs } from '../support/rein.ts';

test('stripping or forging variables gains nothing', async () => {
  const tricks = [
    'env -i PATH="$PATH" rein -p "child 1" --yolo',
    'REIN_DEPTH=0 REIN_CHILD=1 REIN_HOME=/tmp rein -p "child 2" --yolo --max-turns 500',
    'env -i "$(command -v rein)" -p "child 3" --permission-mode bypass',
    'unset REIN_SESSION_ID REIN_CALL REIN_DEPTH; rein -p "child 4" --allowed-tools write_file --settings \'{"permissionMode":"bypass"}\'',
  ];
  const write = { name: 'write_file', input: { path: 'pwned', content: 'x' } };
  const child = (asked: Asked): Turn =>
    asked.rounds.length === 0 ? { calls: [write, bash('echo "at $REIN_DEPTH"')] } : { text: 'child done' };
  const world = await createWorld(family(tricks.join('; '), child));
  expect(await world.rein(['-p', 'parent', '--allowed-tools', 'bash'])).toMatchObject({ code: 0 });
  expect(lastResult(world).match(/child done/g)).toHaveLength(4);
  const results = childResults(world);
  expect(results.filter((text) => text.startsWith('ERROR:'))).toHaveLength(4);
  expect(results.filter((text) => text.startsWith('at 1'))).toHaveLength(4);
  expect(existsSync(join(world.work, 'pwned'))).toBe(false);
  const [parent, ...children] = world.logs();
  expect(children).toHaveLength(4);
  for (const { header } of children) expect(header?.startedBy?.session).toBe(parent?.header?.session);
});

test('a program that claims to be a child and has no parent gets no rights by it', async () => {
  const write = { name: 'write_file', input: { path: 'pwned', content: 'x' } };
  const world = await createWorld((asked) => (asked.rounds.length === 0 ? { calls: [write] } : { text: 'done' }));
  const ran = await world.rein(['-p', 'go'], { variables: { REIN_CHILD: '1', REIN_DEPTH: '0' } });
  expect(ran.code).not.toBeNull();
  expect(world.file('pwned')).toBeUndefined();
});

test('rights are never wider than the parent’s, whatever mode the child asks for', async () => {
  const write = { name: 'write_file', input: { path: 'x.txt', content: 'x' } };
  const world = await createWorld(
    family('rein -p child --yolo; rein -p child --dangerously-skip-permissions', calls(write, bash('touch ran'))),
  );
  expect(await world.rein(['-p', 'parent', '--allowed-tools', 'bash'])).toMatchObject({ code: 0 });
  expect(world.file('x.txt')).toBeUndefined();
  expect(world.file('ran')).toBe('');
  const denied = await createWorld(family('rein -p child --yolo', calls(write)));
  await denied.rein(['-p', 'parent', '--yolo', '--disallowed-tools', 'write_file']);
  expect(childResults(denied)[0]).toMatch(/^ERROR: /);
  expect(denied.file('x.txt')).toBeUndefined();
  const narrow = await createWorld(
    family('rein -p child --disallowed-tools write_file --tools bash,write_file', calls(write)),
  );
  await narrow.rein(['-p', 'parent', '--yolo']);
  expect(narrow.file('x.txt')).toBeUndefined();
});

test('caps are reserved from the parent’s: a child cannot use more requests, and what it used is gone', async () => {
  const world = await createWorld((asked, index) =>
    runs(asked.prompt.startsWith('parent') ? `rein -p "child ${index}" --max-turns 50` : `echo ${index}`),
  );
  const ran = await world.rein(['-p', 'parent', '--yolo', '--max-turns', '5', '-o', 'json']);
  expect(ran.code).toBe(3);
  // A share may be too small to be of use; together they never use more than there is.
  expect(world.server.requests.length).toBeGreaterThan(2);
  expect(world.server.requests.length).toBeLessThanOrEqual(5);
  expect(resultLine(ran.stdout)).toMatchObject({ subtype: 'error_max_turns' });
});

test('time and money are the parent’s too', async () => {
  const world = await createWorld(family('rein -p child --max-time 1h', () => ({ fail: 'hang' })));
  const ran = await world.rein(['-p', 'parent', '--yolo', '--max-time', '2', '-o', 'json']);
  expect(resultLine(ran.stdout)).toMatchObject({ subtype: 'error_max_time' });
  expect(alive(world)).toEqual([]);
  const costly = (asked: Asked): Turn => ({
    ...runs(`echo ${asked.rounds.length}`),
    usage: { input: 100_000, output: 1 },
  });
  const paid = await createWorld(family('rein -p child', costly));
  const broke = await paid.rein(['-p', 'parent', '--yolo', '--max-cost', '2', '-o', 'json']);
  expect(Number(resultLine(broke.stdout)['total_cost_usd'])).toBeLessThan(3);
  expect(lastResult(paid)).toMatch(/cap of \$.*exit code: 3/s);
});

test('a child in the background does not use up the parent’s own requests', async () => {
  const command = 'rein -p child > out 2>&1 & until [ -e asked ]; do sleep 0.05; done; echo left';
  const world = await createWorld(
    family(command, () => {
      writeFileSync(join(world.work, 'asked'), '');
      return { fail: 'hang' };
    }),
  );
  expect(await world.rein(['-p', 'parent', '--yolo', '--max-turns', '5'])).toMatchObject({
    code: 0,
    stdout: 'parent done\n',
  });
});

test('C31 the shell holds no keys, and the child works all the same, with every provider', async () => {
  const children = Object.values(MODELS).map((model) => `rein -p child -m ${model}`);
  const world = await createWorld(family(`env | grep -c CANARY; ${children.join('; ')}`, answer('it works')));
  await world.rein(['-p', 'parent', '--yolo']);
  expect(lastResult(world)).toMatch(/^0\n(it works\n){6}/);
});

test('a child can’t send the keys elsewhere: the address of a vendor is the parent’s', async () => {
  const taken: string[] = [];
  const listener = createServer((request, response) => {
    taken.push(JSON.stringify(request.headers));
    response.writeHead(401).end('{}');
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const address = listener.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const tricks = [
    `rein -p child --set baseUrl=${url}`,
    `rein -p child --settings '{"baseUrl":"${url}"}'`,
    `rein -p child --settings '{"vendors":{"anthropic":{"baseUrl":"${url}","dialect":"anthropic"}}}'`,
    `rein -p child -m mine/m --settings '{"vendors":{"mine":{"baseUrl":"${url}","keys":["OPENAI_API_KEY"]}}}'`,
    `ANTHROPIC_BASE_URL=${url} rein -p child`,
    `HTTP_PROXY=${url} http_proxy=${url} rein -p child`,
  ];
  const world = await createWorld(family(tricks.join('; '), answer('child done')));
  await world.rein(['-p', 'parent', '--yolo']);
  listener.close();
  expect(taken.filter((headers) => headers.includes('CANARY'))).toEqual([]);
});

test('a child asks the parent’s model, wherever that was named', async () => {
  const world = await createWorld(family('rein -p child', (asked) => ({ text: `${asked.vendor} ${asked.model}` })));
  const settings = JSON.stringify({ vendors: { mine: { baseUrl: `${world.server.url}/mine/v1`, keys: [] } } });
  await world.rein(['-p', 'parent', '--yolo', '--settings', settings, '-m', 'mine/big']);
  expect(lastResult(world)).toMatch(/^mine big\n/);
});

test('settings of a child never widen the parent’s', async () => {
  const child = (asked: Asked): Turn => {
    if (asked.rounds.length > 0) return { text: 'child done' };
    return {
      calls: [bash('env | grep TOKEN; echo end'), { name: 'web_fetch', input: { url: 'http://127.0.0.1:9/x' } }],
    };
  };
  const command = `rein -p child --set 'privateHosts=["127.0.0.1"]' --set 'hiddenVariables=[]'`;
  const world = await createWorld(family(command, child));
  const settings = '{"hiddenVariables":["MY_TOKEN"]}';
  await world.rein(['-p', 'parent', '--yolo', '--settings', settings], { variables: { MY_TOKEN: 'secret' } });
  const [env, page] = childResults(world);
  expect(env).toMatch(/^end\n/);
  expect(page).toMatch(/private|loopback|public/);
  expect(page).not.toMatch(/ECONNREFUSED/);
});
