import { drawContext } from '../../../harness/messages.ts';
import { THEMES } from '../../render/theme.ts';
import { ago, count, money, tokens } from '../../render/units.ts';
import type { Host } from '../host.ts';
import type { Command, CommandContext } from '../types.ts';
import { plainChoice } from './model.ts';

/** What is there, and how it looks. */
export const lookCommands: readonly Command[] = [
  {
    name: 'help',
    help: 'commands and keys',
    run: ({ commands, keys, read }) => read('help', helpText(commands, keys)),
  },
  { name: 'cost', help: 'tokens and money of this session', run: ({ host, say }) => say(costText(host)) },
  {
    name: 'context',
    help: 'what fills the context window',
    run: ({ host, say }) => say(contextText(host)),
  },
  {
    name: 'tools',
    help: 'what the model can call',
    run: ({ host, say }) =>
      say(
        host
          .session()
          .tools.map((tool) => `- ${tool}`)
          .join('\n'),
      ),
  },
  {
    name: 'skills',
    help: 'what it knows how to do',
    run: async ({ host, say }) => say(await host.skills()),
  },
  { name: 'jobs', help: 'commands that run in the background', run: showJobs },
  {
    name: 'theme',
    args: '[name]',
    help: THEMES.join(', '),
    complete: async () => THEMES.map(plainChoice),
    run: changeTheme,
  },
  {
    name: 'settings',
    args: '[key value]',
    help: 'see and change settings',
    complete: async (host) => host.settings().map((one) => ({ ...plainChoice(one.key), about: inForce(one) })),
    run: changeSettings,
  },
  {
    name: 'doctor',
    help: 'check this machine, this terminal and the settings',
    run: async ({ host, say }) => say(await host.doctor()),
  },
];

const helpText = (commands: readonly Command[], keys: readonly string[]): string => {
  const lines = commands.map(({ name, aliases = [], args = '', help }) => {
    const names = [name, ...aliases].map((one) => `/${one}`).join(' ');
    return `| \`${names}${args === '' ? '' : ` ${args}`}\` | ${help} |`;
  });
  return ['| | |', '|---|---|', ...lines, '', ...keys].join('\n');
};

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

const contextText = (host: Host): string => {
  const context = host.context();
  if (!context) return 'Nothing was sent yet.';
  const { used, window, start, parts } = context;
  const bounds =
    window > 0 ? { window, free: Math.max(0, window - used), ...(start === undefined ? {} : { start }) } : {};
  const [head = '', ...rows] = drawContext({ parts, tokens: used, ...bounds });
  return [head, '', '```', ...rows, '```'].join('\n');
};

async function showJobs({ host, choose, say, time }: CommandContext): Promise<void> {
  const jobs = host.jobs();
  if (jobs.length === 0) return say('Nothing runs in the background.');
  const id = await choose(
    'Jobs',
    jobs.map((job) => ({
      value: job.id,
      label: job.command,
      about: job.ended ?? `since ${ago(time() - job.since).replace(' ago', '')}`,
      preview: () => host.jobOutput(job.id),
    })),
  );
  const job = jobs.find((one) => one.id === id);
  if (!job || job.ended !== undefined) return;
  const sure = await choose(`Stop ${job.command}?`, [
    { value: 'no', label: 'no, let it run' },
    { value: 'yes', label: 'yes, stop it' },
  ]);
  if (sure === 'yes') say(await host.stopJob(job.id));
}

async function changeTheme({ host, choose, setTheme, say }: CommandContext, args: string): Promise<void> {
  const picked = args === '' ? await choose('Theme', THEMES.map(plainChoice)) : args;
  const theme = THEMES.find((name) => name === picked);
  if (theme === undefined) return picked === undefined ? undefined : say(`Themes are ${THEMES.join(', ')}.`);
  setTheme(theme);
  say(await host.saveSetting('theme', theme));
}

async function changeSettings(context: CommandContext, args: string): Promise<void> {
  const { host, choose, say, draft } = context;
  const settings = host.settings();
  const [key = '', ...rest] = args.split(/\s+/);
  if (rest.length > 0) return save(context, key, rest.join(' '));
  const picked =
    key === ''
      ? await choose(
          'Settings',
          settings.map((one) => ({ ...plainChoice(one.key), about: `${inForce(one)} · ${one.from}` })),
        )
      : key;
  const setting = settings.find((one) => one.key === picked);
  if (!setting) return picked === undefined ? undefined : say(`There is no setting ${picked}.`);
  if (!setting.choices) return draft(`/settings ${setting.key} ${setting.value}`);
  const value = await choose(setting.key, setting.choices.map(plainChoice), { at: setting.value });
  if (value !== undefined) await save(context, setting.key, value);
}

/** `ask (default)` */
const inForce = ({ value, builtIn }: ReturnType<Host['settings']>[number]): string =>
  builtIn === undefined ? value : `${builtIn} (${value})`;

async function save({ host, say, setTheme }: CommandContext, key: string, value: string): Promise<void> {
  const saved = await host.saveSetting(key, value);
  const theme = THEMES.find((name) => name === value);
  if (key === 'theme' && theme !== undefined) setTheme(theme);
  say(saved);
}
