/** Which child to tell, so that a message reaches the descendant that a person chose. */
import type { Event } from '../../core/types.ts';
import type { Seen } from '../types.ts';
import type { Child } from './child.ts';

export function createRoutes() {
  const routes = new Map<string, Child>();
  /** What a child shows of those below it says that the way to them leads through it. */
  const learn = (session: string, event: Seen | Event, child: Child): void => {
    routes.set(session, child);
    if ('live' in event && event.live === 'child') learn(event.session, event.event, child);
  };
  const forget = (child: Child): void => {
    for (const [session, through] of routes) if (through === child) routes.delete(session);
  };
  const steer = (session: string, text: string): boolean => {
    const child = routes.get(session);
    child?.steer(session, text);
    return child !== undefined;
  };
  return { learn, forget, steer };
}
