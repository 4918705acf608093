import { basename } from 'node:path';
import type { Usage } from '../../core/types.ts';
import type { Session, Totals } from '../../harness/types.ts';
import type { Row } from '../render/row.ts';
import { oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { count, money, ticking, tokens } from '../render/units.ts';
import { readBranch } from './branch.ts';
import type { ContextUse, Host } from './host.ts';
import type { Scene } from './scene.ts';

/** What the modes mean, and the three that Shift+Tab goes round. */
export const MODES: Readonly<Record<string, string>> = {
  plan: 'reads and plans, changes nothing',
  ask: 'asks before it changes or runs something',
  acceptEdits: 'edits files here without asking, asks for commands',
  auto: 'free inside the sandbox, asks to leave it',
  bypass: 'asks nothing, no sandbox: deny rules stay',
};
export const CYCLE: readonly string[] = ['plan', 'ask', 'auto'];

/** What a fold over the whole session says; read when an entry came, not for every picture. */
export type Facts = {
  readonly last: Usage | undefined;
  readonly totals: Totals;
  readonly branch: string | undefined;
};

export const readFacts = (session: Session): Facts => ({
  last: lastUsage(session),
  totals: session.totals(),
  branch: readBranch(session.cwd),
});

/** What is asked for less often than that. */
export type Asked = {
  readonly context: ContextUse | undefined;
  /** The person's own line, in place of the rest. */
  readonly own: string | undefined;
};

/** Cells of the bar. */
const BAR = 8;

/** A part of the line and how much it matters: the least goes first where there is no room. */
type Part = {
  readonly text: string;
  readonly weight: number;
  readonly right?: true;
  /** Instead of going at once. */
  readonly short?: string;
};

/** Model, mode and place on the left; context, money and the rest on the right. Always one line. */
export const statusRow =
  (host: Host, look: Look, home: string | undefined, facts: Facts & Asked): Row =>
  (width) => {
    if (facts.own !== undefined) return [look.cut(look.theme.dim(oneLine(facts.own, 400)), width)];
    let parts = partsOf(host, look, home, facts).filter(({ text }) => text !== '');
    const line = () => {
      const [left, right] = [false, true].map((side) =>
        parts
          .filter((part) => (part.right === true) === side)
          .map(({ text }) => text)
          .join(look.theme.dim(' · ')),
      );
      return { left: left ?? '', right: right ?? '' };
    };
    const size = () => look.width(line().left) + look.width(line().right) + 2;
    while (size() > width && parts.length > 1) {
      const least = Math.min(...parts.map(({ weight }) => weight));
      parts = parts.flatMap(({ short, ...part }) => {
        if (part.weight !== least) return [short === undefined ? part : { ...part, short }];
        return short === undefined ? [] : [{ ...part, text: short }];
      });
    }
    const { left, right } = line();
    if (right === '') return [look.cut(left, width)];
    return [left + ' '.repeat(Math.max(1, width - look.width(left) - look.width(right))) + right];
  };

/** Jobs that run. */
export const countJobs = (host: Host): number => host.jobs().filter(({ ended }) => ended === undefined).length;

const partsOf = (host: Host, look: Look, home: string | undefined, facts: Facts & Asked): readonly Part[] => {
  const { theme } = look;
  const session = host.session();
  const faint = (text: string) => (text === '' ? '' : theme.dim(oneLine(text, 60)));
  const model = session.effort === undefined ? session.model : `${session.model}:${session.effort}`;
  const jobs = countJobs(host);
  const folder = tilde(session.cwd, home);
  const { branch, last, totals, context } = facts;
  const on = branch === undefined ? '' : ` ⎇ ${branch}`;
  return [
    { text: faint(model), weight: 80 },
    { text: modeText(look, session.mode), weight: 90 },
    { text: faint(folder + on), short: faint(basename(folder) + on), weight: 30 },
    { text: host.testsStale() ? theme.warn('tests older than edits') : '', weight: 50, right: true },
    { text: jobs === 0 ? '' : theme.dim(count(jobs, 'job')), weight: 60, right: true },
    { text: theme.dim(cacheText(last)), weight: 10, right: true },
    { text: theme.dim(costText(totals, host.maxCost)), weight: 70, right: true },
    { text: contextText(context, look, last), weight: 75, right: true },
  ];
};

const modeText = ({ theme }: Look, mode: string): string => {
  const paint = { plan: theme.accent, auto: theme.warn, bypass: theme.bad }[mode] ?? theme.dim;
  return paint(oneLine(mode, 20));
};

/** `▰▰▱▱▱▱▱▱ 21%`; without a known window, tokens alone. */
const contextText = (known: ContextUse | undefined, look: Look, last: Usage | undefined): string => {
  const { theme } = look;
  const used = known?.used ?? (last ? last.input + last.cacheRead + last.cacheWrite + last.output : 0);
  if (used === 0) return '';
  if (known === undefined || known.window <= 0) return theme.dim(`${tokens(used)} tokens`);
  const share = Math.min(1, used / known.window);
  const full = Math.round(share * BAR);
  const paint = share > 0.9 ? theme.bad : share > 0.75 ? theme.warn : theme.accent;
  return `${paint('▰'.repeat(full))}${theme.dim('▱'.repeat(BAR - full))} ${theme.dim(`${Math.round(share * 100)}%`)}`;
};

/** `$0.24 of $5`. */
const costText = ({ usage, unpriced }: Totals, cap: number | undefined): string => {
  const { cost = 0 } = usage;
  const cents = cost < 0.005 ? money(cost) : `$${cost.toFixed(2)}`;
  const spent = `${unpriced ? '≥ ' : ''}${cents}`;
  if (cap === undefined) return cost === 0 ? '' : spent;
  return `${spent} of $${cap}`;
};

/** How much of the last request came out of the cache. */
const cacheText = (last: Usage | undefined): string => {
  const asked = last ? last.input + last.cacheRead + last.cacheWrite : 0;
  return last === undefined || last.cacheRead === 0 ? '' : `cache ${Math.round((100 * last.cacheRead) / asked)}%`;
};

const lastUsage = (session: Session): Usage | undefined => {
  const reply = session
    .entries()
    .findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant' && entry.message.usage);
  return reply?.type === 'message' && reply.message.role === 'assistant' ? reply.message.usage : undefined;
};

/** `● working · 12 s · esc stops` */
export const activityLine = (scene: Scene, look: Look, ms: number): string =>
  `${look.theme.accent('●')} ${look.theme.dim(`${scene.doing} · ${ticking(ms)} · esc stops`)}`;

const tilde = (path: string, home: string | undefined): string => {
  if (home === undefined || home === '' || home === '/') return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
};
