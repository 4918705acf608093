// One call: a question goes out, an answer comes back, and the model has forgotten both.
//   node steps/1-ask.ts "Why is the sky blue?"
const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '', MODEL = 'gpt-5-mini' } = process.env;

const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
  body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: process.argv[2] ?? 'Hello!' }] }),
});
const text = await response.text();
if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}`);

const { choices }: { choices: [{ message: { content: string } }] } = JSON.parse(text);
console.log(choices[0].message.content);

export {};
