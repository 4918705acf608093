import { oneLine } from '../render/safe.ts';
import { count, duration, money, tokens } from '../render/units.ts';
import type { Choice, Command, CommandContext, Host, SessionSummary } from './types.ts';

export const builtins: readonly Command[] = [
  {
    name: 'help',
    help: 'commands and keys',
    run: ({ commands, say }) => say(helpText(commands)),
  },
  {
    name: 'model',
    args: '[vendor/model[:effort]]',
    help: 'show or change the model',
    complete: async (host) => (await host.models()).map((model) => ({ value: model, label: model })),
    run: changeModel,
  },
  {
    name: 'clear',
    aliases: ['reset', 'new'],
    help: 'start a new session; this one is kept',
    run: async ({ host, show }) => show(await host.newSession()),
  },
  {
    name: 'resume',
    args: '[id]',
    help: 'go back to another session',
    complete: async (host) => (await host.listSessions()).map((session) => sessionChoice(session)),
    run: resumeSession,
  },
  { name: 'cost', help: 'tokens and money of this session', run: ({ host, say }) => say(costText(host)) },
  { name: 'quit', aliases: ['exit'], help: 'leave', run: ({ leave }) => leave() },
];

/** The command that a line names, or what is wrong with it; undefined where the line is no command but a prompt. */
export const findCommand = (
  commands: readonly Command[],
  line: string,
): { readonly command: Command; readonly args: string } | { readonly unknown: string } | undefined => {
  // A path is no command: `/etc/hosts looks odd` goes to the model.
  const match = /^\/([a-zA-Z][\w-]*)(?:\s+(.*))?$/s.exec(line.trim());
  if (!match) return undefined;
  const [, name = '', args = ''] = match;
  const wanted = name.toLowerCase();
  const command = commands.find((one) => one.name === wanted || one.aliases?.includes(wanted));
  return command ? { command, args: args.trim() } : { unknown: name };
};

async function changeModel({ host, choose, say }: CommandContext, args: string): Promise<void> {
  const session = host.session();
  const models = args === '' ? await host.models() : [];
  const picked = args === '' ? await choose(`Model (now ${session.model})`, models.map(plainChoice)) : args;
  if (picked === undefined || picked === '') return;
  const [, model = picked, effort] = /^(.*\/.*):([a-z]+)$/.exec(picked) ?? [];
  try {
    session.setModel(model, effort);
  } catch (error) {
    say(messageOf(error));
  }
}

async function resumeSession({ host, choose, say, show, time }: CommandContext, args: string): Promise<void> {
  const open = host.session().id;
  const sessions = args === '' ? (await host.listSessions()).filter((session) => session.id !== open) : [];
  if (args === '' && sessions.length === 0) return say('There is no other session in this folder.');
  const id =
    args === ''
      ? await choose(
          'Resume',
          sessions.map((session) => sessionChoice(session, time())),
        )
      : args;
  if (id === undefined) return;
  try {
    show(await host.resume(id));
  } catch (error) {
    say(messageOf(error));
  }
}

const plainChoice = (value: string): Choice => ({ value, label: value });

const sessionChoice = (session: SessionSummary, now?: number): Choice => ({
  value: session.id,
  label: oneLine(session.title, 60) || session.id,
  ...(now === undefined ? {} : { about: `${ago(now - session.time)} · ${oneLine(session.id, 40)}` }),
});

const ago = (ms: number): string => {
  if (ms < 60_000) return 'now';
  return ms < 86_400_000
    ? `${duration(ms).replace(/ \d\d [sm]$/, '')} ago`
    : `${count(Math.floor(ms / 86_400_000), 'day')} ago`;
};

const helpText = (commands: readonly Command[]): string => {
  const lines = commands.map(({ name, aliases = [], args = '', help }) => {
    const names = [name, ...aliases].map((one) => `/${one}`).join(' ');
    return `| \`${names}${args === '' ? '' : ` ${args}`}\` | ${help} |`;
  });
  return ['| Command | What it does |', '|---|---|', ...lines, '', ...keys].join('\n');
};

const keys = [
  '| Key | What it does |',
  '|---|---|',
  '| Enter | send; while it works: steer |',
  '| Ctrl+J, Shift+Enter, `\\` Enter | new line |',
  '| Esc, Ctrl+C | stop; nothing is lost |',
  '| Alt+Up | take back what is queued |',
  '| Ctrl+C | clear the line; twice: leave |',
  '| Ctrl+D | leave, on an empty line |',
  '| Up, Down | earlier prompts |',
];

const costText = (host: Host): string => {
  const { usage, models, unpriced, turns } = host.session().totals();
  const price = (cost: number | undefined) => (cost === undefined ? 'price unknown' : money(cost));
  const rows = Object.entries(models).map(
    ([model, used]) =>
      `| ${model} | ${tokens(used.input + used.cacheWrite)} | ${tokens(used.cacheRead)} | ${tokens(used.output)} | ${price(used.cost)} |`,
  );
  const total =
    unpriced && usage.cost !== undefined
      ? `at least ${money(usage.cost)}`
      : price(usage.cost ?? (unpriced ? undefined : 0));
  const head = `${count(turns, 'model request')}, ${total}`;
  return rows.length === 0
    ? head
    : [head, '', '| Model | in | cached | out | cost |', '|---|---|---|---|---|', ...rows].join('\n');
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
