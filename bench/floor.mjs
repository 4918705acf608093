// The floor: the least program that is still an agent, so that what rein costs can be said as a ratio. Anthropic's
// Messages as a stream, one shell tool, the calls of a reply at once, retry, a session file that -c continues.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const log = '.floor.jsonl';
if (!process.argv.includes('-c')) writeFileSync(log, '');
const history = JSON.parse(`[${readFileSync(log, 'utf8').trimEnd().replaceAll('\n', ',')}]`);
const commit = (said) => appendFileSync(log, `${JSON.stringify(history[history.push(said) - 1])}\n`);
const callsOf = (content) => content.filter((block) => block.type === 'tool_use');
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env;
const headers = { 'content-type': 'application/json', 'x-api-key': key, 'anthropic-version': '2023-06-01' };
const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const tools = [{ name: 'bash', description: 'Run a shell command.', input_schema: schema }];
const head = { model: 'bench', max_tokens: 32_000, stream: true, system: 'You are a coding agent.', tools };

async function ask() {
  const body = JSON.stringify({ ...head, messages: history });
  const response = await fetch(`${base}/v1/messages`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  let [blocks, sent, decoder, text, ended] = [[], [], new TextDecoder(), '', false];
  for await (const chunk of response.body) {
    const frames = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = frames.pop();
    for (const frame of frames) {
      const { type, index, content_block: block, delta } = JSON.parse(frame.slice(frame.indexOf('data:') + 5));
      if (type === 'content_block_start') [blocks[index], sent[index]] = [block, ''];
      else if (delta?.type === 'text_delta') blocks[index].text += delta.text;
      else if (delta?.type === 'input_json_delta') sent[index] += delta.partial_json;
      else if (type === 'message_stop') ended = true;
    }
  }
  if (!ended) throw new Error('the stream was cut');
  return blocks.map((block, i) => (block.type === 'tool_use' ? { ...block, input: JSON.parse(sent[i]) } : block));
}

async function answer({ id, input }) {
  const child = spawn('bash', ['-c', input.command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (data) => (out += out.length < 30_000 ? data : ''));
  const code = await new Promise((resolve) => child.on('exit', resolve));
  await sleep(5); // the pipes' rest; a child in the background may hold them
  return { type: 'tool_result', tool_use_id: id, content: `${out.slice(0, 30_000)}\n[exit code: ${code}]` };
}
const insist = async (tries, error) => {
  if (tries === 0) throw error;
  await sleep(16_000 / 2 ** tries);
  return ask().catch((next) => insist(tries - 1, next));
};
const open = history.at(-1)?.role === 'assistant' ? callsOf(history.at(-1).content) : [];
const lost = open.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'interrupted', is_error: true }));
for (let content = [...lost, { type: 'text', text: process.argv.at(-1) }]; content.length > 0; ) {
  commit({ role: 'user', content });
  const reply = await ask().catch((error) => insist(5, error));
  commit({ role: 'assistant', content: reply });
  for (const { type, text } of reply) if (type === 'text') console.log(text);
  content = await Promise.all(callsOf(reply).map(answer));
}
process.exit();
