import { builtins } from './commands.ts';
import { runInteractive } from './interactive.ts';
import { runPlain } from './plain.ts';
import { createQuestions } from './questions.ts';
import type { Repl, ReplOptions, Running } from './types.ts';

/** The interactive mode. It exists before the session does, because the harness needs its `ask` to be built. */
export const createRepl = (options: ReplOptions): Repl => {
  const commands = [...builtins, ...(options.commands ?? [])];
  const questions = createQuestions();
  const screen = !options.plain && options.stdin.isTTY === true && options.stdout.isTTY === true;
  let running: Running | undefined;
  return {
    ask: questions.ask,
    run: async (host, prompt) => {
      running = screen
        ? await runInteractive(options, commands, questions, host, prompt)
        : runPlain(options, commands, questions, host, prompt);
      return running.done;
    },
    dispose: () => running?.dispose(),
  };
};
