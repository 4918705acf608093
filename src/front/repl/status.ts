import type { Session } from '../../harness/types.ts';
import { oneLine } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { money, ticking, tokens } from '../render/units.ts';
import type { Scene } from './scene.ts';

/** `anthropic/claude-x · ~/project · ask · 12.3k tokens · $0.12` */
export const statusLine = (session: Session, look: Look, home: string | undefined): string => {
  const { usage, unpriced } = session.totals();
  const used = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  const cost = usage.cost === undefined || usage.cost === 0 ? [] : [`${unpriced ? '≥ ' : ''}${money(usage.cost)}`];
  const model = session.effort === undefined ? session.model : `${session.model}:${session.effort}`;
  const parts = [
    model,
    tilde(session.cwd, home),
    session.mode,
    ...(used === 0 ? [] : [`${tokens(used)} tokens`]),
    ...cost,
  ];
  return look.theme.dim(parts.map((part) => oneLine(part, 80)).join(' · '));
};

/** `● working · 12 s · esc stops` */
export const activityLine = (scene: Scene, look: Look, ms: number): string =>
  `${look.theme.accent('●')} ${look.theme.dim(`${scene.doing} · ${ticking(ms)} · esc stops`)}`;

const tilde = (path: string, home: string | undefined): string => {
  if (home === undefined || home === '' || home === '/') return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
};
