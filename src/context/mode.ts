/** Tells the model that plan mode began or ended: at the end of the history, so that what is cached stays good. */
import { toldByRein } from '../core/messages.ts';
import type { Message, View } from '../core/types.ts';
import type { Prompts } from './prompts.ts';

/** Decorates a view. The other modes are no concern of the model's: what they refuse, the refusal says. */
export const withModeNote = (view: View, mode: () => string, prompts: Pick<Prompts, 'plan' | 'plan-over'>): View =>
  async function* (signal) {
    const messages = yield* view(signal);
    const told = messages.findLast((message) => is(message, prompts.plan) || is(message, prompts['plan-over']));
    const planning = mode() === 'plan';
    if (planning === (told !== undefined && is(told, prompts.plan))) return messages;
    yield { type: 'message', message: toldByRein((planning ? prompts.plan : prompts['plan-over']).trim()) };
    return yield* view(signal);
  };

const is = (message: Message, text: string): boolean =>
  message.role === 'user' &&
  message.origin === 'harness' &&
  message.content.some((part) => part.type === 'text' && part.text === text.trim());
