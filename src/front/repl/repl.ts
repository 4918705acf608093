import { runInteractive } from './interactive.ts';
import { runPlain } from './plain.ts';
import { createQuestions } from './questions.ts';
import type { Repl, ReplOptions, Running } from './types.ts';

/** The interactive mode. It exists before the session does, because the harness needs its `ask` to be built. */
export const createRepl = (options: ReplOptions): Repl => {
  const questions = createQuestions();
  const screen = !options.plain && options.stdin.isTTY === true && options.stdout.isTTY === true;
  const early: string[] = [];
  let running: Running | undefined;
  return {
    ask: questions.ask,
    run: async (host, prompt) => {
      running = screen
        ? await runInteractive(options, questions, host, prompt)
        : runPlain(options, questions, host, prompt);
      for (const text of early.splice(0)) running.warn(text);
      return running.done;
    },
    warn: (text) => (running ? running.warn(text) : void early.push(text)),
    dispose: () => running?.dispose(),
  };
};
