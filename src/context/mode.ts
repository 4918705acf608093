/** Tells the model that plan mode began or ended: at the end of the history, so that what is cached stays good. */
import type { Message, User, View } from '../core/types.ts';
import type { Prompts } from './prompts.ts';

/** Decorates a view. The other modes are no concern of the model's: what they refuse, the refusal says. */
export const withModeNote = (view: View, mode: () => string, prompts: Pick<Prompts, 'plan' | 'plan-over'>): View =>
  async function* (signal) {
    const messages = yield* view(signal);
    const told = messages.findLast((message) => is(message, prompts.plan) || is(message, prompts['plan-over']));
    const planning = mode() === 'plan';
    if (planning === (told !== undefined && is(told, prompts.plan))) return messages;
    yield { type: 'message', message: note(planning ? prompts.plan : prompts['plan-over']) };
    return yield* view(signal);
  };

const note = (text: string): User => ({
  role: 'user',
  origin: 'harness',
  content: [{ type: 'text', text: text.trim() }],
});

const is = (message: Message, text: string): boolean =>
  message.role === 'user' &&
  message.origin === 'harness' &&
  message.content.some((part) => part.type === 'text' && part.text === text.trim());
