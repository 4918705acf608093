// A chat: the model forgets everything, so each request tells it everything again.
//   node steps/2-chat.ts
import { createInterface } from 'node:readline';

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '', MODEL = 'gpt-5-mini' } = process.env;

type Message = { role: 'user' | 'assistant'; content: string };
type Completion = { choices: [{ message: Message }] };

async function ask(messages: Message[]): Promise<Message> {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: MODEL, messages }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}`);
  const { choices }: Completion = JSON.parse(text);
  return choices[0].message;
}

const history: Message[] = [];
process.stdout.write('> ');
for await (const line of createInterface({ input: process.stdin })) {
  history.push({ role: 'user', content: line });
  const reply = await ask(history);
  history.push(reply);
  process.stdout.write(`${reply.content}\n> `);
}
