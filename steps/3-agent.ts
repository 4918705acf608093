// An agent: a chat whose model may run a shell command, see what came of it, and go on until it asks for no more.
//   node steps/3-agent.ts          (it runs what the model says, unasked: use a container)
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '', MODEL = 'gpt-5-mini' } = process.env;

type Call = { id: string; function: { name: string; arguments: string } };
type Reply = { role: 'assistant'; content: string | null; tool_calls?: Call[] };
type Message =
  | { role: 'system' | 'user'; content: string }
  | Reply
  | { role: 'tool'; tool_call_id: string; content: string };

const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const bash = { name: 'bash', description: 'Run a shell command. There is no stdin.', parameters };

async function ask(messages: Message[]): Promise<Reply> {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: MODEL, messages, tools: [{ type: 'function', function: bash }] }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}`);
  const { choices }: { choices: [{ message: Reply }] } = JSON.parse(text);
  return choices[0].message;
}

function run({ name, arguments: sent }: Call['function']): string {
  try {
    if (name !== 'bash') return `ERROR: there is no tool "${name}", only bash.`;
    const { command }: { command: string } = JSON.parse(sent);
    if (typeof command !== 'string') throw new TypeError('no command');
    console.log(`$ ${command}`);
    const options = { encoding: 'utf8', input: '', maxBuffer: 2 ** 24 } as const;
    const { stdout, stderr, status, signal } = spawnSync('bash', ['-c', command], options);
    return `${stdout}${stderr}[exit code: ${status ?? signal}]`;
  } catch (error) {
    return `ERROR: ${error}. Send {"command": "…"}.`;
  }
}

const history: Message[] = [{ role: 'system', content: `You are a coding agent in ${process.cwd()}.` }];
process.stdout.write('> ');
for await (const line of createInterface({ input: process.stdin })) {
  history.push({ role: 'user', content: line });
  for (;;) {
    const reply = await ask(history);
    history.push(reply); // exactly as it came
    if (reply.content) console.log(reply.content);
    if (!reply.tool_calls?.length) break;
    for (const call of reply.tool_calls) {
      history.push({ role: 'tool', tool_call_id: call.id, content: run(call.function) });
    }
  }
  process.stdout.write('> ');
}
