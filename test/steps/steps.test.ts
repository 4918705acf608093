import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/core/types.ts';
import { type ScriptedServer, type ServerOptions, startServer } from '../../src/testing/server.ts';
import type { Scenario } from '../../src/testing/turn.ts';
import { has } from '../support/has.ts';

const steps = resolve(import.meta.dirname, '../../steps');
const budgets = { '1-ask.ts': 40, '2-chat.ts': 40, '3-agent.ts': 62, '4-subagents.ts': 50, '5-stream.ts': 180 };

test.each(Object.entries(budgets))('%s has at most %i lines', async (name, lines) => {
  const text = await readFile(join(steps, name), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(lines);
  for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(120);
});

let folder = '';
let server: ScriptedServer | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steps-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true });
});

const start = async (scenario: Scenario, options?: ServerOptions): Promise<ScriptedServer> => {
  server = await startServer(scenario, options);
  return server;
};

type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

const run = (
  runtime: string,
  step: keyof typeof budgets,
  given: { url: string; args?: string[]; stdin?: string; env?: Record<string, string> },
): Promise<Ran> =>
  new Promise((done, fail) => {
    const child = spawn(runtime, [join(steps, step), ...(given.args ?? [])], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        MODEL: 'scripted',
        OPENAI_BASE_URL: `${given.url}/v1`,
        OPENAI_API_KEY: 'key',
        ANTHROPIC_BASE_URL: given.url,
        ANTHROPIC_API_KEY: 'key',
        ...given.env,
      },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.on('error', fail);
    child.on('close', (code) => done({ code, out, err }));
    child.stdin.end(given.stdin ?? '');
  });

const messagesOf = (json: Json | undefined): readonly Json[] =>
  typeof json === 'object' && json !== null && 'messages' in json && Array.isArray(json.messages) ? json.messages : [];

const runtimes = [
  { name: 'node', command: process.execPath, missing: false },
  { name: 'bun', command: 'bun', missing: !has('bun') },
];

describe.each(runtimes)('on $name', ({ command, missing }) => {
  test.skipIf(missing)('1-ask asks once and prints the answer', async () => {
    const { url, requests, violations } = await start([{ text: 'Rayleigh scattering.' }]);
    expect(await run(command, '1-ask.ts', { url, args: ['Why is the sky blue?'] })).toEqual({
      code: 0,
      out: 'Rayleigh scattering.\n',
      err: '',
    });
    expect(requests.map(({ asked }) => asked?.prompt)).toEqual(['Why is the sky blue?']);
    expect(violations).toEqual([]);
  });

  test.skipIf(missing)('1-ask says what the server said when it fails', async () => {
    const { url } = await start([{ status: 401, message: 'wrong key' }]);
    const { code, err } = await run(command, '1-ask.ts', { url });
    expect(code).toBe(1);
    expect(err).toContain('HTTP 401');
    expect(err).toContain('wrong key');
  });

  test.skipIf(missing)('2-chat resends the whole history, and loses no line of a pipe', async () => {
    const { url, requests, violations } = await start([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const { code, out } = await run(command, '2-chat.ts', { url, stdin: 'a\nb\nc\n' });
    expect({ code, out }).toEqual({ code: 0, out: '> one\n> two\n> three\n> ' });
    const said = requests.at(-1)?.asked?.messages.map(({ role, text }) => `${role}: ${text}`);
    expect(said).toEqual(['user: a', 'assistant: one', 'user: b', 'assistant: two', 'user: c']);
    expect(violations).toEqual([]);
  });

  test.skipIf(missing)(
    '3-agent runs what is asked for until nothing more is, and sends replies back as they came',
    async () => {
      const bash = (id: string, line: string) => ({ name: 'bash', id, input: { command: line } });
      const { url, requests, violations } = await start([
        { text: 'Let me see.', calls: [bash('b', 'echo out; echo err >&2; exit 3'), bash('a', 'cat; pwd')] },
        {
          calls: [
            { name: 'sing', id: 'c' },
            { name: 'bash', id: 'd' },
          ],
        },
        { text: 'Done.' },
        { text: 'Again.' },
      ]);
      const { code, out } = await run(command, '3-agent.ts', { url, stdin: 'look around\nonce more\n' });
      expect(code).toBe(0);
      expect(out).toMatch(/^> Let me see\.\n\$ echo out.*\n\$ cat; pwd\nDone\.\n> Again\.\n> $/);
      const [, , , last] = requests;
      const results = last?.asked?.messages.filter((message) => message.role === 'result') ?? [];
      expect(results.map((result) => [result.call, result.text])).toEqual([
        ['b', 'out\nerr\n[exit code: 3]'],
        ['a', `${folder}\n[exit code: 0]`],
        ['c', 'ERROR: there is no tool "sing", only bash.'],
        ['d', expect.stringMatching(/^ERROR: TypeError/)],
      ]);
      expect(messagesOf(last?.json)[2]).toEqual({
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: expect.arrayContaining([expect.objectContaining({ id: 'b', type: 'function' })]),
      });
      expect(violations).toEqual([]);
    },
  );

  test.skipIf(missing)('4-subagents calls itself with a fresh history, several at once', async () => {
    const { url, requests, violations } = await start(({ system, prompt, rounds }) => {
      if (prompt !== 'top') return { text: `${prompt} is fine` };
      const self = /^"[^"]+" "[^"]+"/m.exec(system)?.[0];
      if (rounds.length > 0) return { text: rounds[0]?.map((answer) => answer.text).join(' ') ?? '' };
      const child = (task: string) => ({ name: 'bash', input: { command: `${self} '${task}'` } });
      return { calls: [child('part one'), child('part two')] };
    });
    const ran = await run(command, '4-subagents.ts', { url, args: ['top'] });
    expect(ran).toEqual({
      code: 0,
      out: 'part one is fine\n[exit code: 0] part two is fine\n[exit code: 0]\n',
      err: '',
    });
    const histories = requests.map(({ asked }) => asked?.messages.length);
    expect(histories).toEqual([1, 1, 1, 4]);
    expect(violations).toEqual([]);
    expect((await run(command, '4-subagents.ts', { url, args: ['x'], env: { AGENT_DEPTH: '3' } })).code).toBe(1);
  });

  test.skipIf(missing)('5-stream checks inputs before it touches anything, and answers failures as text', async () => {
    await writeFile(join(folder, 'long.txt'), 'abcdefghij'.repeat(10));
    const pages = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<style>p{}</style><p>Hello <b>there</b>'),
    );
    const port = await new Promise<number>((listening) => {
      pages.listen(0, '127.0.0.1', () => {
        const address = pages.address();
        listening(typeof address === 'object' && address ? address.port : 0);
      });
    });
    const { url, requests, violations } = await start([
      {
        thinking: [{ text: 'hm', signature: 'signed' }],
        text: 'Working.',
        calls: [
          { name: 'write_file', input: { path: 'new/a.txt', content: 'hi' } },
          { name: 'write_file', input: { path: 'new/b.txt', content: 'hi', mode: '777' } },
          { name: 'write_file', input: { path: '../outside.txt', content: 'hi' } },
          { name: 'read_file', input: { path: 'long.txt', start_char: 10, max_chars: 20 } },
          { name: 'read_file', input: { path: 'missing.txt' } },
          { name: 'list_files', input: {} },
          { name: 'web_fetch', input: { url: `http://127.0.0.1:${port}/` } },
          { name: 'web_fetch', input: { url: 'file:///etc/hostname' } },
          { name: 'toString', input: {} },
        ],
      },
      { text: 'Done.' },
      { text: 'Fresh.' },
    ]);
    const { code, out } = await run(command, '5-stream.ts', { url, stdin: 'work\n/reset\nhello\n' });
    pages.closeAllConnections();
    await new Promise((closed) => pages.close(closed));
    expect(code).toBe(0);
    expect(out).toContain('Working.');
    const texts = requests[1]?.asked?.rounds[0]?.map(({ text }) => text) ?? [];
    expect(texts).toEqual([
      'Wrote 2 characters to new/a.txt.',
      expect.stringMatching(/^ERROR: nothing was done\.\n.*"mode"/),
      expect.stringMatching(/^ERROR: nothing was done\.\n.*inside the working folder/),
      'abcdefghijabcdefghij\n[characters 10 to 30 of 100; go on with start_char: 30]',
      expect.stringMatching(/^ERROR: ENOENT/),
      expect.stringContaining('long.txt'),
      'Hello there',
      expect.stringMatching(/^ERROR: nothing was done/),
      'ERROR: there is no tool "toString". The tools are: read_file, write_file, list_files, web_fetch.',
    ]);
    expect(await readFile(join(folder, 'new/a.txt'), 'utf8')).toBe('hi');
    await expect(readFile(join(folder, 'new/b.txt'))).rejects.toThrow();
    expect(requests[2]?.asked?.messages).toEqual([{ role: 'user', text: 'hello' }]);
    expect(violations).toEqual([]);
  });

  test.skipIf(missing)('5-stream stops after ten rounds, and a failed request loses nothing that ran', async () => {
    const { url, requests, violations } = await start(({ prompt, rounds }) => {
      if (prompt.includes('break')) return { status: 400, message: 'scripted refusal' };
      return prompt.includes('loop') ? { calls: [{ name: 'list_files' }] } : { text: `after ${rounds.length}` };
    });
    const { code, out } = await run(command, '5-stream.ts', { url, stdin: 'loop\nbreak\nhow are you\n' });
    expect(code).toBe(0);
    expect(out).toContain('Stopped after 10 rounds.');
    expect(out).toMatch(/ERROR: 400 .*scripted refusal/);
    expect(requests).toHaveLength(12);
    expect(requests.at(-1)?.asked?.messages.filter(({ role }) => role === 'result')).toHaveLength(10);
    expect(violations).toEqual([]);
  });
});
