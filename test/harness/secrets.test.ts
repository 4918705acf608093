/** What is a secret, and what only looks like one. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Event, Output, Tool } from '../../src/core/types.ts';
import { parseEnv } from '../../src/env/env-file.ts';
import { readKeys, saveKey, withKeys } from '../../src/harness/credentials.ts';
import { withRedaction } from '../../src/harness/redaction.ts';
import { createSecretValues } from '../../src/harness/secret-values.ts';
import { createRedactor, type Secret } from '../../src/harness/secrets.ts';

const folder = (): string => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'rein-secrets-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

const redact = (text: string, secrets: readonly Secret[] = [], off: readonly string[] = []) =>
  createRedactor(() => secrets, off).text(text);

// Put together here, so that no scanner takes this file for a leak.
const tokens: Readonly<Record<string, readonly string[]>> = {
  'github-token': [`ghp_${'aB3dE5fG7h'.repeat(4)}`, `github_pat_${'11ABCDEFG0_aB3dE5fG7h'.repeat(3)}`],
  'aws-key-id': [`AKIA${'J7Q2'.repeat(4)}`],
  'slack-token': [`xoxb-${'123456789012-'.repeat(2)}aBcDeFgHiJkLmNoP`],
  'gitlab-token': [`glpat-${'aB3dE5fG7h'.repeat(2)}`],
  jwt: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${'aB3dE5fG7h'.repeat(4)}`],
  'api-key': [
    `sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}`,
    `sk-proj-${'aB3_dE5-fG7h'.repeat(9)}`,
    `sk-${'aB3dE5fG7h'.repeat(5)}`,
    `sk-or-v1-${'0123456789abcdef'.repeat(4)}`,
    `gsk_${'aB3dE5fG7h'.repeat(5)}`,
  ],
  'google-key': [`AIza${'aB3dE-fG7h_'.repeat(3)}ab`],
  'stripe-key': [`sk_live_${'aB3dE5fG7h'.repeat(3)}`],
  'npm-token': [`npm_${'aB3dE5'.repeat(6)}`],
};

test.each(Object.entries(tokens))('a %s is known by its shape', (name, shapes) => {
  for (const token of shapes) {
    for (const text of [`x = "${token}"`, `${token}\n`, `https://h/?t=${token}&x=1`, `export T='${token}'`]) {
      if (!text.startsWith('https') || name !== 'jwt')
        expect(redact(text.replace('=$', '')), text).not.toContain(token);
    }
    expect(redact(`a ${token} b`)).toBe(`a [secret ${name}] b`);
  }
});

const KEY_LINES = Array.from({ length: 12 }, (_, i) => `${i}IIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ`);
const PEM = ['-----BEGIN RSA PRIVATE KEY-----', ...KEY_LINES, '-----END RSA PRIVATE KEY-----'];

test('a private key is known with line numbers before it, and when its end was cut off', () => {
  expect(redact(`a\n${PEM.join('\n')}\nb`)).toBe('a\n[secret private-key]\nb');
  expect(redact(PEM.map((line, i) => `${i + 1}\t${line}`).join('\n'))).not.toMatch(/IIEv/);
  expect(redact(PEM.slice(0, 6).join('\n'))).not.toMatch(/IIEv/);
});

test('a known value is hidden wherever it stands, in each of its spellings', () => {
  const secret = { name: 'ANTHROPIC_API_KEY', value: 'sk-test-CANARY123', known: true as const };
  const shown = (text: string) => redact(text, [secret]);
  expect(shown('key=sk-test-CANARY123.')).toBe('key=[secret ANTHROPIC_API_KEY].');
  const base64 = Buffer.from(secret.value).toString('base64').replace(/=+$/, '');
  expect(shown(`data: ${base64}=`)).not.toContain(base64);
  const odd = { name: 'DB_PASSWORD', value: 'p"4ss/wor\\d&x' };
  expect(redact(JSON.stringify({ p: odd.value }), [odd])).toBe('{"p":"[secret DB_PASSWORD]"}');
  expect(redact(`u=${encodeURIComponent(odd.value)}`, [odd])).toBe('u=[secret DB_PASSWORD]');
});

test('a password that is a word is hidden behind its name and nowhere else', () => {
  const secret = { name: 'DB_PASSWORD', value: 'postgres' };
  expect(redact('DB_PASSWORD=postgres\nimage: postgres:16\n', [secret])).toBe(
    'DB_PASSWORD=[secret DB_PASSWORD]\nimage: postgres:16\n',
  );
  expect(redact('{"DB_PASSWORD": "postgres"}', [secret])).toBe('{"DB_PASSWORD": "[secret DB_PASSWORD]"}');
});

test('the password in an address is hidden alone, too', () => {
  const secret = { name: 'DATABASE_URL', value: 'postgres://app:hunter2hunter2@db.internal:5432/app' };
  expect(redact(`url: ${secret.value}, pass: hunter2hunter2`, [secret])).not.toContain('hunter2');
  expect(redact('db.internal:5432', [secret])).toBe('db.internal:5432');
});

test('settings and places in a .env file are no secrets', () => {
  const secrets = parseEnv(
    [
      'NODE_ENV=development',
      'PORT=3000',
      'AWS_REGION=us-east-1',
      'API_URL=https://api.internal/v1',
      'KEY_PATH=/etc/ssl/private.key',
      'S3_BUCKET=my-company-assets-2024',
      'FEATURE_TOKEN_REFRESH=true',
      'LOG_LEVEL="debug" # or info',
    ].join('\n'),
  );
  expect(secrets).toHaveLength(8);
  const code =
    'const mode = "development"; listen(3000); region("us-east-1"); fetch("https://api.internal/v1"); true; debug; /etc/ssl/private.key my-company-assets-2024';
  expect(redact(code, secrets)).toBe(code);
});

test('.env files: quotes, export, comments, several lines', () => {
  expect(parseEnv('export A="x\\ny" \nB=\'a # b\'\n# C=1\nD=v # note\n  E: e\nF=\n')).toEqual([
    { name: 'A', value: 'x\ny' },
    { name: 'B', value: 'a # b' },
    { name: 'D', value: 'v' },
    { name: 'E', value: 'e' },
    { name: 'F', value: '' },
  ]);
});

test('ordinary code, hashes, ids and lock files pass unchanged', () => {
  const corpus = new URL('./ordinary/', import.meta.url).pathname;
  const env = parseEnv('PASSWORD=password\nSECRET=secret\nTOKEN=token1\nNAME=app\nJWT_SECRET=changeme\n');
  const files = readdirSync(corpus);
  expect(files.length).toBeGreaterThan(7);
  for (const name of files) {
    const text = readFileSync(join(corpus, name), 'utf8');
    expect(redact(text, env), name).toBe(text);
  }
  for (const name of [
    'package-lock.json',
    'biome.json',
    'src/core/types.ts',
    'src/harness/secrets.ts',
    'package.json',
  ]) {
    const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
    expect(redact(text, env), name).toBe(text);
  }
});

test('text in pieces hides what the whole text hides, wherever it is cut', () => {
  const secrets = [
    { name: 'MY_TOKEN', value: 'tok-91fe3a77c2d04b' },
    { name: 'PASSPHRASE', value: 'seven green 4pples fall' },
  ];
  const whole = [
    `a ${tokens['github-token']?.[0]} b tok-91fe3a77c2d04b c\n`,
    `${PEM.join('\n')}\nseven green 4pples fall end\n`,
    'plain words and then\n',
  ].join('');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }), (sizes) => {
      const redactor = createRedactor(() => secrets);
      const stream = redactor.stream();
      let shown = '';
      let at = 0;
      for (let i = 0; at < whole.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        shown += stream.push(whole.slice(at, at + size));
        at += size;
      }
      shown += stream.end();
      expect(shown).toBe(redactor.text(whole));
      expect(shown).not.toMatch(/ghp_|91fe3a|IIEv|4pples/);
    }),
    { numRuns: 150 },
  );
});

test('a name in secrets.off shows its value; * shows all', () => {
  const secrets = [{ name: 'MY_TOKEN', value: 'tok-91fe3a77c2d04b' }];
  const text = `tok-91fe3a77c2d04b ${tokens['github-token']?.[0]}`;
  expect(redact(text, secrets, ['MY_TOKEN'])).toBe('tok-91fe3a77c2d04b [secret github-token]');
  expect(redact(text, secrets, ['github-token'])).toMatch(/^\[secret MY_TOKEN\] ghp_/);
  expect(redact(text, secrets, ['*'])).toBe(text);
});

test('values come from the environment, the keys and .env files, also from those that appear later', () => {
  const root = folder();
  writeFileSync(join(root, '.env'), 'API_TOKEN=first-4f9a8b7c\n');
  mkdirSync(join(root, 'apps', 'web'), { recursive: true });
  writeFileSync(join(root, 'apps', 'web', '.env.local'), 'WEB_SECRET=second-77aa88bb\n');
  writeFileSync(join(root, '.env.example'), 'API_TOKEN=your-token-here-1\n');
  const values = createSecretValues({
    variables: { HOME: '/root', GH_TOKEN: 'third-12ab34cd', EDITOR: 'vim', SSH_AUTH_SOCK: '/tmp/agent.1' },
    keys: { MY_KEY: 'fourth-abcdef12' },
    keyNames: ['ANTHROPIC_API_KEY'],
    roots: [root],
  });
  const redactor = createRedactor(values.current);
  const text = 'first-4f9a8b7c second-77aa88bb third-12ab34cd fourth-abcdef12 your-token-here-1 fifth-99ff00aa';
  const hidden = '[secret API_TOKEN] [secret WEB_SECRET] [secret GH_TOKEN] [secret MY_KEY] your-token-here-1';
  expect(redactor.text(text)).toBe(`${hidden} fifth-99ff00aa`);
  writeFileSync(join(root, '.env'), 'API_TOKEN=fifth-99ff00aa\n');
  values.notice([]);
  expect(redactor.text(text)).toBe(`${hidden} [secret API_TOKEN]`);
  const elsewhere = join(folder(), '.env');
  writeFileSync(elsewhere, 'OTHER_TOKEN=sixth-5566ddee\n');
  values.notice([elsewhere]);
  expect(redactor.text('sixth-5566ddee')).toBe('[secret OTHER_TOKEN]');
});

const tool = (output: Output, progress: readonly string[] = [], name = 'read_file'): Tool => ({
  name,
  description: '',
  input: {},
  prepare: async () => ({
    access: { show: '', reads: ['/w/a'] },
    run: async function* ({ call }) {
      for (const text of progress) yield { live: 'progress', call, text };
      return output;
    },
  }),
});

async function run(decorated: Tool, input = {}): Promise<{ output: Output | string; events: Event[] }> {
  const prepared = await decorated.prepare(input);
  if (typeof prepared === 'string') return { output: prepared, events: [] };
  const generator = prepared.run({ call: 'c', signal: new AbortController().signal });
  const events: Event[] = [];
  for (;;) {
    const step = await generator.next();
    if (step.done) return { output: step.value, events };
    events.push(step.value);
  }
}

const decorator = () => {
  const hidden: string[] = [];
  const values = createSecretValues({ variables: { A_TOKEN: 'tok-91fe3a77c2' }, keys: {}, keyNames: [], roots: [] });
  const redactor = createRedactor(values.current);
  return { hidden, wrap: withRedaction({ redactor, values, hid: (paths) => hidden.push(...paths) }) };
};

test('a tool: content, details and progress are without secrets, and the file counts as not seen whole', async () => {
  const { hidden, wrap } = decorator();
  const text = 'a tok-91fe3a77c2 b';
  const made = tool({ content: [{ type: 'text', text }], details: { diff: [text] } }, ['a tok-91', 'fe3a77c2 b']);
  const { output, events } = await run(wrap(made));
  expect(output).toEqual({
    content: [{ type: 'text', text: 'a [secret A_TOKEN] b' }],
    details: { diff: ['a [secret A_TOKEN] b'] },
  });
  const progress = events.map((event) => ('live' in event && event.live === 'progress' ? event.text : '')).join('');
  expect(progress).toBe('a [secret A_TOKEN] b');
  expect(hidden).toEqual(['/w/a']);
  const plain = decorator();
  await run(plain.wrap(tool({ content: [{ type: 'text', text: 'nothing' }] })));
  expect(plain.hidden).toEqual([]);
});

test('D16 a marker of this session is never written or run; a text that only looks like one is', async () => {
  const { wrap } = decorator();
  const write = wrap(tool({ content: [{ type: 'text', text: 'ok' }] }, [], 'write_file'));
  const input = { path: 'a', content: 'X=[secret A_TOKEN]' };
  expect((await run(write, input)).output).toMatchObject({ content: [{ text: 'ok' }] });
  await run(wrap(tool({ content: [{ type: 'text', text: 'tok-91fe3a77c2' }] })));
  expect((await run(write, input)).output).toMatch(/^\[secret A_TOKEN\] stands for a value/);
  expect((await run(write, { content: '[secret OTHER]' })).output).toMatchObject({ content: [{ text: 'ok' }] });
});

test('B33 keys are kept in a file of their own, 0600; ten writers at once lose none; variables win', async () => {
  const config = join(folder(), 'config');
  await Promise.all(Array.from({ length: 10 }, (_, i) => saveKey(config, `KEY_${i}`, ` value-${i} `)));
  expect(Object.keys(readKeys(config))).toHaveLength(10);
  expect(readKeys(config)['KEY_3']).toBe('value-3');
  expect(statSync(join(config, 'credentials.json')).mode & 0o777).toBe(0o600);
  expect(statSync(config).mode & 0o777).toBe(0o700);
  expect(readdirSync(config)).toEqual(['credentials.json']);
  expect(withKeys(config, { KEY_1: 'mine', KEY_2: '' })).toMatchObject({ KEY_1: 'mine', KEY_2: 'value-2' });
  await expect(saveKey(config, 'NO NAME', 'x')).rejects.toThrow(/no name/);
});

test('a file of keys that is broken is an error and stays as it is', async () => {
  const config = folder();
  writeFileSync(join(config, 'credentials.json'), '{"A": "x",');
  expect(() => readKeys(config)).toThrow(/credentials\.json must be an object/);
  await expect(saveKey(config, 'B', 'y')).rejects.toThrow(/must be an object/);
  expect(readFileSync(join(config, 'credentials.json'), 'utf8')).toBe('{"A": "x",');
});
