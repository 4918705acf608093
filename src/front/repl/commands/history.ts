import { oneLine } from '../../render/safe.ts';
import { ago, count } from '../../render/units.ts';
import type { Conflicts, PromptSummary, Undone } from '../host.ts';
import type { Choice, Command, CommandContext } from '../types.ts';

/** Back and forth in what happened: nothing of it is ever deleted. */
export const historyCommands: readonly Command[] = [
  {
    name: 'undo',
    args: '[number]',
    help: 'take back what the last prompt did, files too; or the last so many',
    run: undo,
  },
  {
    name: 'redo',
    help: 'bring it back',
    run: (context, args) =>
      args === ''
        ? undoWith(context, context.host.redo)
        : context.say('`/redo` takes no number: it brings back what one `/undo` took.'),
  },
  {
    name: 'rewind',
    help: 'go back to before an earlier prompt: files, conversation or both',
    run: rewind,
  },
  {
    name: 'tree',
    help: 'all branches of this session',
    run: goTo,
  },
  {
    name: 'diff',
    help: 'what changed on disk in this session',
    run: async ({ host, say, read }) => {
      const diff = await host.diff();
      if (diff === '') say('Nothing has changed.');
      else read('diff', `\`\`\`\`\`diff\n${diff}\n\`\`\`\`\``);
    },
  },
];

const HOW: readonly Choice[] = [
  { value: 'both', label: 'files and conversation', about: 'as if it had not been asked' },
  { value: 'conversation', label: 'conversation only', about: 'files stay as they are' },
  { value: 'files', label: 'files only', about: 'the model still knows what it did' },
];

async function undo(context: CommandContext, args: string): Promise<void> {
  const { host, say } = context;
  if (args === '' || args === '1') return undoWith(context, host.undo);
  if (!/^[1-9]\d*$/.test(args)) return say('`/undo 3` takes back the last three prompts, `/undo` the last one.');
  const prompts = await host.prompts();
  const first = prompts.at(-Number(args));
  if (!first) return say(`There ${prompts.length === 1 ? 'is' : 'are'} only ${count(prompts.length, 'prompt')}.`);
  await undoWith(context, (conflicts) => host.rewind(first.entry, 'both', conflicts));
}

async function rewind(context: CommandContext): Promise<void> {
  const { host, choose, say, draft, time } = context;
  const prompts = await host.prompts();
  if (prompts.length === 0) return say('There is no prompt to go back to yet.');
  const entry = await choose(
    'Go back to before',
    prompts.toReversed().map((prompt) => promptChoice(prompt, time())),
  );
  const prompt = prompts.find((one) => one.entry === entry);
  if (!prompt) return;
  const how = await choose(`Go back to before “${oneLine(prompt.text, 40)}”`, HOW);
  if (how !== 'both' && how !== 'conversation' && how !== 'files') return;
  // It was picked to be changed.
  const keep = (text: string) => {
    draft(text);
    return '';
  };
  await undoWith({ ...context, keep }, (conflicts) => host.rewind(prompt.entry, how, conflicts));
}

type Undo = (conflicts?: Conflicts) => Promise<Undone>;

/** What somebody else has changed since is asked about first. A prompt that was taken back is kept. */
async function undoWith({ choose, say, keep }: CommandContext, undo: Undo): Promise<void> {
  let undone = await undo();
  if ('conflicts' in undone) {
    const title = `Changed by somebody else since: ${undone.conflicts.map((path) => oneLine(path, 80)).join(', ')}`;
    const how = await choose(title, [
      { value: 'keep', label: 'leave these as they are' },
      { value: 'overwrite', label: 'overwrite them', about: 'a copy is kept' },
    ]);
    if (how !== 'keep' && how !== 'overwrite') return;
    undone = await undo(how);
  }
  if ('conflicts' in undone) return;
  const hint = undone.prompt === undefined ? '' : keep(undone.prompt);
  say(undone.said.replace(/$/m, () => (hint === '' ? '' : ` ${hint}`)));
}

/** Which files each prompt changed: that is what one looks for. */
const promptChoice = ({ entry, text, time, files }: PromptSummary, now: number): Choice => {
  const changed = files.length === 0 ? [] : [files.length > 2 ? count(files.length, 'file') : files.join(', ')];
  return {
    value: entry,
    label: oneLine(text, 60),
    about: [...changed, ago(now - time)].join(' · '),
    ...(files.length > 2 ? { preview: async () => files.join('\n') } : {}),
  };
};

async function goTo({ host, choose, say }: CommandContext): Promise<void> {
  const lines = await host.tree();
  const here = lines.find((line) => line.here)?.entry;
  const choices = lines.map(({ entry, stem, text, here }) => ({
    value: entry,
    label: `${stem}${oneLine(text, 60)}`,
    ...(here ? { about: 'here' } : {}),
  }));
  const picked = await choose('Go on from', choices, here === undefined ? {} : { at: here });
  if (picked !== undefined && picked !== here) say(await host.goTo(picked));
}
