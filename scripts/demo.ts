/**
 * `npm run demo`: the Tetris job, over the real wire, with the real tools, in a new temporary folder. Without a key and
 * without a local model server the model is scripted; it says so.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tetris, tetrisTask } from '../src/testing/scenarios/tetris.ts';
import { startServer } from '../src/testing/server.ts';

const cliPath = (): string => fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

const keys = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'DEEPSEEK_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'XAI_API_KEY',
];

const localPorts = [11434, 1234, 8080];

type Block = { type: string; text?: string; name?: string; input?: unknown; content?: unknown; is_error?: boolean };
type Line = {
  type: string;
  event?: { type: string; delta?: { type: string; text?: string } };
  message?: { content: readonly Block[] | string };
  result?: string;
  is_error?: boolean;
  total_cost_usd?: number;
};

const dim = (text: string): string =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? `\x1b[2m${text}\x1b[22m` : text;
const say = (text: string) => process.stdout.write(text);

/** A local model server that lists at least one model on loopback. */
const findLocal = async (): Promise<string | undefined> => {
  for (const port of localPorts) {
    const url = `http://127.0.0.1:${port}/v1/models`;
    const list: { data?: unknown[] } | undefined = await fetch(url, { signal: AbortSignal.timeout(400) })
      .then((response) => (response.ok ? response.json() : undefined))
      .then((body) => (typeof body === 'object' && body !== null ? body : undefined))
      .catch(() => undefined);
    if (list?.data?.[0] !== undefined) return `127.0.0.1:${port}`;
  }
  return undefined;
};

const firstLine = (text: string): string => {
  const [first = '', ...rest] = text.trim().split('\n');
  return rest.length > 0 ? `${first.slice(0, 100)} … (${rest.length + 1} lines)` : first.slice(0, 110);
};

const showCall = ({ name = '', input }: Block): string => {
  const fields: Record<string, unknown> = typeof input === 'object' && input !== null ? { ...input } : {};
  const what = fields['command'] ?? fields['path'] ?? JSON.stringify(input);
  return `${name}  ${firstLine(String(what))}`;
};

const resultText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: Block) => part.text ?? '').join('')
      : '';

const indent = (text: string): string =>
  text
    .trim()
    .split('\n')
    .slice(-26)
    .map((line) => `    ${line.slice(0, 110)}`)
    .join('\n');

/** Shows one line of the CLI's stream-json: text as it streams, calls and results as they come. */
const createPrinter = () => {
  let streamed = '';
  return (line: Line) => {
    const delta = line.event?.delta;
    if (delta?.type === 'text_delta' && delta.text) {
      if (streamed === '') say('\n');
      streamed += delta.text;
      say(delta.text);
    }
    const blocks = typeof line.message?.content === 'object' ? line.message.content : [];
    for (const block of blocks) {
      if (block.type === 'text' && line.type === 'assistant' && streamed === '') say(`\n${block.text ?? ''}`);
      if (block.type === 'tool_use') say(`\n\n  ${showCall(block)}\n`);
      if (block.type === 'tool_result') say(`${dim(indent(resultText(block.content)))}\n`);
    }
    if (line.type === 'assistant') streamed = '';
    if (line.type === 'result' && line.is_error) say(`\n${line.result ?? ''}\n`);
  };
};

/** Runs the CLI on the task in `folder` and shows what it does; resolves to its exit code. */
const runCli = async (folder: string, env: Readonly<Record<string, string>>): Promise<number> => {
  const flags = ['-p', '--yolo', '--output-format', 'stream-json', '--include-partial-messages', tetrisTask];
  const child = spawn(process.execPath, [cliPath(), ...flags], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number>((resolve) => {
    child.on('close', (code) => resolve(code ?? 1));
  });
  const print = createPrinter();
  for await (const text of createInterface({ input: child.stdout })) {
    const line: Line = JSON.parse(text);
    print(line);
  }
  return ended;
};

const main = async (): Promise<number> => {
  if (!existsSync(cliPath())) {
    console.error('The CLI is not built yet. Run: npm run build');
    return 2;
  }
  const root = mkdtempSync(join(tmpdir(), 'rein-demo-'));
  const folder = mkdtempSync(join(root, 'work-'));
  const key = keys.find((name) => process.env[name]);
  const local = key ? undefined : await findLocal();
  const real = key ?? local;
  const server = real ? undefined : await startServer(tetris());
  if (server) {
    say('The model of this run is SCRIPTED: a program of ours that answers by what the tools return, on 127.0.0.1.\n');
    say(
      'All else is real: the agent, the wire, the tools, this machine. For a real model set a key and run it again:\n',
    );
    say('  ANTHROPIC_API_KEY=… npm run demo      (or OPENAI_API_KEY, GEMINI_API_KEY, …, or start Ollama)\n');
  } else
    say(`A real model does the job (${key ? `the key in ${key}` : `the server on ${local}`}). It may cost money.\n`);
  say(`\nfolder  ${folder}\ntask    ${tetrisTask}\n`);

  const code = await runCli(
    folder,
    server
      ? {
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'scripted',
          REIN_HOME: join(root, 'home'),
          REIN_MODEL: 'anthropic/scripted',
          NO_PROXY: '127.0.0.1',
        }
      : {},
  );
  await server?.close();
  for (const line of server?.violations ?? []) say(`\nThe strict server refused: ${line}`);
  const game = join(folder, 'tetris.py');
  say(existsSync(game) ? `\n\nThe file: ${game}\nPlay it:  python3 ${game}\n` : '\n\nNo tetris.py was written.\n');
  return code;
};

process.exitCode = await main();
