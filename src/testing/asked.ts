import type { Answer, Asked, Said } from './turn.ts';

/** The last prompt and what was called since. User text after results is steering, not a prompt. */
export const readRounds = (messages: readonly Said[]): Pick<Asked, 'prompt' | 'rounds'> => {
  let prompt = '';
  let rounds: Answer[][] = [];
  let before: Said['role'] | undefined;
  for (const message of messages) {
    if (message.role === 'user' && before !== 'result') {
      prompt = before === 'user' ? `${prompt}\n${message.text}` : message.text;
      rounds = [];
    }
    if (message.role === 'assistant' && message.calls.length > 0)
      rounds.push(message.calls.map((call) => ({ ...call, text: '', failed: false })));
    const round = rounds.at(-1);
    if (message.role === 'result' && round) {
      const { call, text, failed } = message;
      rounds = rounds.with(-1, answerIn(round, call, { text, failed }));
    }
    // Steering keeps the turn open: only a reply without calls ends it.
    if (message.role !== 'user' || before !== 'result') before = message.role;
  }
  return { prompt, rounds };
};

const answerIn = (round: readonly Answer[], id: string, result: Pick<Answer, 'text' | 'failed'>): Answer[] =>
  round.map((answer) => (answer.id === id ? { ...answer, ...result } : answer));
