/** What front ends ask about a history. */
export { isPersons } from '../core/messages.ts';
export { project as messagesOf } from '../session/projection.ts';
