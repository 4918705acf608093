import type { Host } from '../host.ts';

/** The table of keys in `/help`: those that do something here. */
export const keysHelp = (host: Host): readonly string[] => [
  '| Key | |',
  '|---|---|',
  '| Enter | send; while it works: steer |',
  '| Alt+Enter, Alt+Up | send when it has finished; take back what waits |',
  '| Ctrl+J, Shift+Enter, `\\` Enter | new line |',
  '| Esc | stop; nothing is lost |',
  ...(host.rewind ? ['| Esc Esc | go back to an earlier prompt |'] : []),
  ...(host.setMode ? ['| Shift+Tab | plan, ask, auto |'] : []),
  ...(host.approvePlan ? ['| Enter, on an empty line | have the plan carried out |'] : []),
  '| Up, Ctrl+R | earlier prompts; search them |',
  '| Ctrl+O | everything in full |',
  ...(host.todo ? ['| Ctrl+T | the todo list |'] : []),
  ...(host.background ? ['| Ctrl+B | the command that runs goes to the background |'] : []),
  ...(host.files ? ['| `@` | name a file |'] : []),
  ...(host.shell ? ['| `!`, `!!` | run a shell line; the model sees it, or does not |'] : []),
  ...(host.pasteImage ? ['| Ctrl+V | paste an image |'] : []),
  '| Ctrl+G | write in your editor |',
  '| Ctrl+C | stop, clear; twice: leave |',
  '| Ctrl+D, Ctrl+Z | leave, on an empty line; suspend |',
];
