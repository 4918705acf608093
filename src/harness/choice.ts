/** Which model answers, at this moment and on resume. */
import type { Entry, Logged } from '../core/types.ts';
import { foldModel } from '../session/index.ts';
import type { Chosen, Models } from './models.ts';

export { EFFORTS } from '../providers/resolve.ts';

export type Choice = {
  readonly current: () => Chosen;
  readonly effort: () => string | undefined;
  /** A sentence where there is no such model; the one of before stays. */
  readonly change: (name: string, effort?: string) => string | undefined;
  /** After a rewind: what the path says. */
  readonly follow: (path: readonly Logged[]) => void;
  /** The choice as a fact. */
  readonly entry: () => Entry;
};

export type Wish = { readonly model: string | undefined; readonly effort: string | undefined };

/** What is asked for now wins over what the log says; a sentence where neither leads to a model. */
export async function createChoice(models: Models, asked: Wish, path: readonly Logged[]): Promise<Choice | string> {
  const before = foldModel(path);
  const name = asked.model ?? before?.model ?? (await models.find());
  if (typeof name !== 'string') return name.complaint;
  let effort = asked.effort ?? (asked.model === undefined ? before?.effort : undefined);
  const first = models.choose(name, effort);
  if (typeof first === 'string') return first;
  let chosen = first;
  const change: Choice['change'] = (wanted, level) => {
    const next = models.choose(wanted, level);
    if (typeof next === 'string') return next;
    chosen = next;
    effort = level;
    return undefined;
  };
  return {
    current: () => chosen,
    effort: () => effort ?? chosen.spec.effort,
    change,
    follow: (there) => {
      const last = foldModel(there);
      if (last) change(last.model, last.effort);
    },
    entry: () => {
      const level = effort ?? chosen.spec.effort;
      return { type: 'model', model: chosen.spec.name, ...(level === undefined ? {} : { effort: level }) };
    },
  };
}
