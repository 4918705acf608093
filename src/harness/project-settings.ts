/** A repository's own settings: they may tighten, and choose what does no harm. Each wish beyond that is named. */
import { isObject } from '../core/json.ts';
import { MODES, type Settings } from './settings.ts';

export type Tightened = {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Keys that stay without effect, for the warning. */
  readonly refused: readonly string[];
};

/** Model requests for one prompt, unless settings say otherwise. */
export const DEFAULT_TURNS = 200;

const HARMLESS = new Set(['model', 'effort', 'fallbackModel', 'systemPrompt', 'appendSystemPrompt']);

/** For the other keys: may this value stand over what the user has? Wrong types are left to the check of settings. */
const TIGHTER: Readonly<Record<string, (wish: unknown, user: Settings) => boolean>> = {
  maxTurns: (wish, { maxTurns = DEFAULT_TURNS }) => !(Number(wish) > maxTurns),
  maxCost: (wish, { maxCost = Number.POSITIVE_INFINITY }) => !(Number(wish) > maxCost),
  maxTime: (wish, { maxTime = Number.POSITIVE_INFINITY }) => !(Number(wish) > maxTime),
  permissionMode: (wish, { permissionMode = 'ask' }) =>
    !MODES.slice(MODES.indexOf(permissionMode) + 1).some((looser) => looser === wish),
  sandbox: (wish) => wish !== 'off',
  undo: (wish) => wish !== 'off',
  tools: (wish, { tools }) => !Array.isArray(wish) || tools === undefined || wish.every((name) => tools.includes(name)),
};

/** What remains of a project's settings beside those of the user. */
export function tighten(wishes: unknown, user: Settings): Tightened {
  if (!isObject(wishes)) return { settings: {}, refused: wishes === undefined ? [] : ['everything: it is no object'] };
  const settings: Record<string, unknown> = {};
  const refused: string[] = [];
  for (const [key, wish] of Object.entries(wishes)) {
    if (key === 'permissions' && isObject(wish)) {
      const { ask, deny, ...rest } = wish;
      settings['permissions'] = { ...(ask === undefined ? {} : { ask }), ...(deny === undefined ? {} : { deny }) };
      refused.push(...Object.keys(rest).map((list) => `permissions.${list}`));
    } else if (HARMLESS.has(key) || (Object.hasOwn(TIGHTER, key) && TIGHTER[key]?.(wish, user))) settings[key] = wish;
    else refused.push(key);
  }
  return { settings, refused };
}
