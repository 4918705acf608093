/** What front ends ask about a history. */
export { drawContext } from '../context/fill.ts';
export { isPersons } from '../core/messages.ts';
export { addUsage, NO_USAGE, spendingOf } from '../session/fold.ts';
export { project as messagesOf } from '../session/projection.ts';
