// Sub-agents: the program is a command, so an agent with a shell can call itself. A child starts with a fresh history,
// and all that comes back is what it prints.     node steps/4-subagents.ts "Review each file in src, one agent a file"
import { exec } from 'node:child_process';

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '', MODEL = 'gpt-5-mini' } = process.env;
const depth = Number(process.env['AGENT_DEPTH'] ?? 0);

type Call = { id: string; function: { name: string; arguments: string } };
type Reply = { role: 'assistant'; content: string | null; tool_calls?: Call[] };
type Message = { role: 'system' | 'user' | 'tool'; content: string; tool_call_id?: string } | Reply;

const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const bash = { name: 'bash', description: 'Run a shell command. Calls of one reply run at once.', parameters };
const system = `You are a coding agent in ${process.cwd()}. Hand work to sub-agents, each a bash command:
"${process.execPath}" "${import.meta.filename}" 'the whole task'. They don't know this talk; they print an answer.`;

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

async function run({ id, function: { arguments: sent } }: Call): Promise<Message> {
  const { command }: { command: string } = JSON.parse(sent);
  const options = { shell: 'bash', env: { ...process.env, AGENT_DEPTH: `${depth + 1}` } };
  const content = await new Promise<string>((done) => {
    exec(command, options, (error, out, err) => done(`${out}${err}[exit code: ${error?.code ?? 0}]`)).stdin?.end();
  });
  return { role: 'tool', tool_call_id: id, content };
}

if (depth > 2) throw new Error('Too deep: do this task without sub-agents.');
const task = process.argv[2] ?? 'Say hello.';
const history: Message[] = [
  { role: 'system', content: system },
  { role: 'user', content: task },
];
for (;;) {
  const reply = await ask(history);
  history.push(reply);
  if (reply.content) console.log(reply.content);
  if (!reply.tool_calls?.length) break;
  history.push(...(await Promise.all(reply.tool_calls.map(run))));
}
