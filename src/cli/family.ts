/** Where a parent started this program: its leash, and what a command line that a model wrote may not ask for. */
import { type Above, joinParent, type Leash } from '../harness/index.ts';
import { type Flags, UsageError } from './flags.ts';

export type Family = {
  readonly leash: Leash;
  readonly parent: Above;
  /** Aborts when the parent is gone. */
  readonly gone: AbortSignal;
};

/** Undefined where no parent waits with a leash, whatever the environment says. */
export async function joinFamily(isChild: boolean): Promise<Family | undefined> {
  if (!isChild || !process.send) return undefined;
  const gone = new AbortController();
  const port = {
    send: (message: object) => {
      if (process.connected) process.send?.(message);
    },
    listen: (onMessage: (message: unknown) => void, onClose: () => void) => {
      process.on('message', onMessage);
      process.on('disconnect', onClose);
    },
  };
  const { leash, parent } = await joinParent(port, () => gone.abort());
  return { leash, parent, gone: gone.signal };
}

/**
 * A child reads files and sessions with the user's rights and shows them to a model, so its flags may name none: a
 * shell that may not read a file could read it through them.
 */
export function checkChildFlags(flags: Flags): void {
  const refused = [
    ...(flags.continue || flags.resume === true ? ['-c: name a sub-agent of this session with -r ID'] : []),
    ...(flags.worktree === undefined ? [] : ['-w: give its kind isolation: worktree']),
    ...((flags.settings ?? []).some((given) => !isJson(given)) ? ['--settings FILE: give the text itself'] : []),
    ...(flags.systemPrompt?.startsWith('@') ? ['--system-prompt @FILE: give the text itself'] : []),
    ...(flags.appendSystemPrompt?.startsWith('@') ? ['--append-system-prompt @FILE: give the text itself'] : []),
    ...(flags.jsonSchema !== undefined && !isJson(flags.jsonSchema)
      ? ['--json-schema FILE: give the text itself']
      : []),
  ];
  if (refused.length > 0) throw new UsageError(`a sub-agent can't take ${refused.join(', ')}.`);
}

const isJson = (given: string): boolean => given.trimStart().startsWith('{');
