import { EFFORTS } from '../../../harness/choice.ts';
import { tokens } from '../../render/units.ts';
import type { ModelSummary } from '../host.ts';
import { CYCLE, MODES } from '../status.ts';
import type { Choice, Command, CommandContext } from '../types.ts';

export const modelCommands: readonly Command[] = [
  {
    name: 'model',
    args: '[vendor/model[:effort]]',
    help: 'show or change the model',
    complete: async (host) => (await host.models()).map(modelChoice),
    run: changeModel,
  },
  {
    name: 'effort',
    args: '[level]',
    help: 'how long it thinks',
    complete: async () => EFFORTS.map(plainChoice),
    run: changeEffort,
  },
  {
    name: 'permissions',
    aliases: ['mode'],
    args: '[mode]',
    help: 'the mode, the rules, and what you allowed',
    complete: async () => CYCLE.map(plainChoice),
    run: changePermissions,
  },
];

export const plainChoice = (value: string): Choice => ({ value, label: value });

/** `1M window · $5 in, $25 out`, prices for a million tokens. */
const modelChoice = ({ name, usable, window, input, output }: ModelSummary): Choice => {
  const price = input === undefined || output === undefined ? [] : [`$${input} in, $${output} out`];
  const said = [...(window === undefined ? [] : [`${tokens(window)} window`]), ...price, ...(usable ? [] : ['no key'])];
  return { value: name, label: name, ...(said.length === 0 ? {} : { about: said.join(' · ') }) };
};

async function changeModel({ host, choose }: CommandContext, args: string): Promise<void> {
  const session = host.session();
  const models = args === '' ? await host.models() : [];
  const title = `Model (now ${session.model})`;
  const picked = args === '' ? await choose(title, models.map(modelChoice), { at: session.model }) : args;
  if (picked !== undefined) session.setModel(picked);
}

async function changeEffort({ host, choose }: CommandContext, args: string): Promise<void> {
  const session = host.session();
  const options = session.effort === undefined ? {} : { at: session.effort };
  const picked =
    args === ''
      ? await choose(`Effort (now ${session.effort ?? 'the default'})`, EFFORTS.map(plainChoice), options)
      : args;
  if (picked !== undefined) session.setModel(session.model, picked);
}

async function changePermissions({ host, choose, say }: CommandContext, args: string): Promise<void> {
  if (args !== '') return host.setMode(args);
  const modes = Object.entries(MODES).map(([mode, about]) => ({
    value: `mode ${mode}`,
    label: `mode ${mode}`,
    about,
  }));
  const rules = host.rules().map(({ effect, rule, from }) => ({
    value: `rule ${rule}`,
    label: `${effect} ${rule}`,
    about: from,
  }));
  const picked = await choose('Permissions', [...modes, ...rules], { at: `mode ${host.session().mode}` });
  if (picked === undefined) return;
  const [kind, ...rest] = picked.split(' ');
  const value = rest.join(' ');
  if (kind === 'mode') return host.setMode(value);
  const rule = host.rules().find((one) => one.rule === value);
  if (!rule) return;
  if (!rule.revocable) return say(`\`${rule.effect} ${rule.rule}\` stands in ${rule.from}; change it there.`);
  host.revoke(rule.rule);
  say(`\`${rule.rule}\` is asked again from now on.`);
}
