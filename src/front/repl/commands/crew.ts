import { oneLine } from '../../render/safe.ts';
import { planOf } from '../plan.ts';
import { MODES } from '../status.ts';
import type { Choice, Command, CommandContext } from '../types.ts';

/** Plans, and those who carry out parts of them. */
export const crewCommands: readonly Command[] = [
  {
    name: 'plan',
    args: '[what]',
    help: 'plan only: nothing is changed until you approve; again: back',
    run: ({ host, send }, args) => {
      const leaves = args === '' && host.session().mode === 'plan';
      host.setMode(leaves ? 'ask' : 'plan');
      if (args !== '') send(args);
    },
  },
  {
    name: 'approve',
    args: '[mode]',
    help: 'have the plan carried out, as it is or changed',
    complete: async () => WAYS,
    run: approve,
  },
  { name: 'steer', args: 'text', help: 'tell a sub-agent that works', run: steer },
];

const way = (mode: string): Choice => ({ value: mode, label: `yes, in mode ${mode}`, about: MODES[mode] ?? '' });

const WAYS: readonly Choice[] = ['ask', 'acceptEdits', 'auto'].map(way);
const CHANGE: Choice = { value: 'change', label: 'change the plan first', about: 'in your editor' };

async function approve({ host, choose, say, edit }: CommandContext, args: string): Promise<void> {
  let plan = planOf(host.session());
  if (plan === undefined) return say('There is no plan to approve: `/plan` begins one.');
  const choices = edit ? [...WAYS, CHANGE] : WAYS;
  let how = args === '' ? await choose('Carry out this plan? Esc goes on talking', choices) : args;
  if (how === CHANGE.value && edit) {
    plan = (await edit(plan)).trim();
    if (plan === '') return say('The plan is empty, so nothing is done.');
    how = await choose('Carry out the plan as you changed it?', WAYS);
  }
  if (how === undefined) return;
  if (!WAYS.some(({ value }) => value === how)) return say(`Modes are ${WAYS.map(({ value }) => value).join(', ')}.`);
  host.approvePlan(plan, how);
}

async function steer({ host, agents, choose, say }: CommandContext, text: string): Promise<void> {
  const working = agents();
  if (working.length === 0) return say('No sub-agent works now.');
  if (text === '') return say('Write what it should know: `/steer text`.');
  const choices = working.map(({ session, show }) => ({ value: session, label: oneLine(show, 100) }));
  const picked = working.length === 1 ? working[0]?.session : await choose('Tell which sub-agent?', choices);
  if (picked === undefined) return;
  const name = oneLine(working.find(({ session }) => session === picked)?.show ?? '', 60);
  say(host.session().steer(picked, text) ? `Told “${name}”.` : `“${name}” has ended.`);
}
