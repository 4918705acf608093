/** What `rein VERB --help` prints; `sessions` has verbs of its own and tells them itself. */
import type { CommandName } from './flags.ts';

export const HELP: Readonly<Record<Exclude<CommandName, 'sessions'>, string>> = {
  undo: `rein undo [--keep | --overwrite]
Takes back what the last prompt in this folder did to files. Where you changed one of them since, nothing is done before
you choose: --keep leaves what you changed, --overwrite puts it back too and keeps a copy.
`,
  prompts: `rein prompts [NAME]
Lists every sentence that rein tells the model, with its weight in tokens; with NAME, shows it.
`,
  permissions: `rein permissions test 'COMMAND' [--json]
Says what would run, what each part of it would be allowed to do, and by which rule. Nothing runs. Takes the flags that
decide it, as --permission-mode and --allowed-tools. Exit codes: 0 allowed, 4 asked or denied.
`,
  doctor: `rein doctor [--online] [--json]
Says what is there, what works, and what to do about the rest; --online asks the provider, too. Exit code 1: something is
broken.
`,
  models: `rein models [WORD] [--json]
Lists the models that rein knows, with windows and prices; marked are those with a key. WORD: only names that hold it.
`,
};
