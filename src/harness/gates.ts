/** Who judges the calls: the policy with the rules of this moment, and for a sub-agent its parent besides. */
import type { Access, Gate, Logged, Verdict } from '../core/types.ts';
import { createDisk } from '../env/disk.ts';
import { readGrammar } from '../env/grammar.ts';
import { isInside } from '../env/inside.ts';
import {
  createGate,
  createShell,
  type Effect,
  isPathDenied,
  isSecret,
  type Judge,
  type Outcome,
  onlyReads,
  parseRule,
  type Rule,
  rowsOf,
  testCommand,
} from '../policy/index.ts';
import { foldGrants, foldMode } from '../session/index.ts';
import type { Parent } from './crew/leash.ts';
import type { HarnessOptions } from './harness.ts';
import { carryOut, type Record } from './record.ts';
import { MODES, type Mode, type Settings, SettingsError } from './settings.ts';
import type { Session } from './types.ts';
import type { Wall } from './wall.ts';

/** `trees`: the folder of the family's working trees, which its members may write to as to the workspace. */
export type GatesOptions = HarnessOptions & { readonly trees: string; readonly wall: Wall };

export type Gates = {
  /** For this session's own calls. */
  readonly gate: Gate;
  /** For the calls of its descendants. */
  readonly judge: Parent['judge'];
  readonly mode: () => Mode;
  readonly setMode: (mode: Mode) => void;
  /** A search through a folder must not show what is in this file. */
  readonly isHidden: (path: string) => boolean;
  /** A call that was judged and does nothing but look. */
  readonly onlyLooks: (access: Access) => boolean;
  /** What "always" allowed and nobody took back. */
  readonly grants: Session['grants'];
  /** What the policy would say now about each command of a shell line. */
  readonly explain: Session['explain'];
};

export function createGates(options: GatesOptions, record: Record): Gates {
  const { settings, parent, leash, cwd, home, wall } = options;
  const rules = readRules(settings);
  let early: Mode | undefined;
  // What a log from before says can tighten: its mode holds where none is asked for now and it is the tighter one.
  const old = new Set(record.path());
  const first: Mode = settings.permissionMode ?? tighter(lastMode(record.path()) ?? 'ask', 'ask');
  const mode = (): Mode => lastMode(record.path().filter((entry) => !old.has(entry))) ?? early ?? first;
  const grants = (): readonly Logged[] => record.path().filter((entry) => !options.foreign || !old.has(entry));
  const setMode = (wanted: Mode) => {
    // A session in which nothing was said yet leaves no file.
    if (record.path().length === 0) early = wanted;
    else void record.commit({ type: 'mode', mode: wanted });
  };
  const disk = createDisk();
  const trees = leash?.isolated ? [] : [disk.real(options.trees)];
  const place = { roots: [cwd, ...(settings.addDirs ?? []), ...trees], home, disk };
  const judging = {
    ...place,
    shell: createShell(readGrammar, home),
    cwd: () => cwd,
    mode,
    rules: () => [...rules, ...readGrants(grants())],
    sandboxed: wall.holds,
    judged: (access: Access, outcome: Outcome) => void (onlyReads(outcome) && looking.add(access)),
  };
  // A descendant's own policy only refuses; whether to ask is for the parent to say.
  const ask = parent ? 'above' : (options.ask ?? null);
  const looking = new WeakSet<Access>();
  const policy: Judge = createGate({ ...judging, ask });
  const gate: Gate = async function* (call, access, signal) {
    const stray = leash?.isolated && refuseStray(access, [cwd]);
    if (stray) return stray;
    if (access.command !== undefined) await wall.ready();
    const own = yield* policy(call, access, signal);
    const verdict = own.allow && parent ? await parent.judge(call, access, leash?.from ?? [], signal) : own;
    if (verdict.allow) access.writes?.forEach(wall.release);
    return verdict;
  };
  const judge: Parent['judge'] = async (call, access, from, signal) => {
    // A descendant may have a working tree of its own.
    const stray = leash?.isolated && refuseStray(access, [cwd, disk.real(options.trees)]);
    if (stray) return stray;
    if (access.command !== undefined) await wall.ready();
    // The events belong to this session, though the call does not.
    const own = await carryOut(policy(call, access, signal, from), record);
    return own.allow && parent ? parent.judge(call, access, from, signal) : own;
  };
  const isHidden = (path: string) => isSecret(path) || isPathDenied(path, 'read', rules, place);
  const explain: Session['explain'] = async (command, at = cwd) => {
    const { outcome } = await testCommand(command, { ...judging, cwd: () => at });
    return rowsOf(outcome);
  };
  const onlyLooks = (access: Access) => looking.has(access);
  return { gate, judge, mode, setMode, isHidden, onlyLooks, explain, grants: () => foldGrants(grants()) };
}

/** An isolated agent writes nowhere but in these folders. */
function refuseStray({ writes = [] }: Access, folders: readonly string[]): Verdict | undefined {
  const stray = writes.find((path) => !folders.some((folder) => isInside(folder, path)));
  if (stray === undefined) return undefined;
  return { allow: false, reason: `${stray} lies outside ${folders[0]}, and this agent writes only there.` };
}

const EFFECTS: readonly Effect[] = ['allow', 'ask', 'deny'];

/** Throws a `SettingsError`: a rule that can't be read must not be dropped in silence. */
export function readRules({ permissions }: Settings): readonly Rule[] {
  return EFFECTS.flatMap((effect) => (permissions?.[effect] ?? []).map((text) => readRule(text, effect, 'settings')));
}

function readRule(text: string, effect: Effect, source: string): Rule {
  const rule = parseRule(text, effect, source);
  if (typeof rule === 'string') throw new SettingsError(rule);
  return rule;
}

const readGrants = (path: readonly Logged[]): readonly Rule[] =>
  foldGrants(path).map((text) => readRule(text, 'allow', 'grant'));

const tighter = (one: Mode, other: Mode): Mode => (MODES.indexOf(one) < MODES.indexOf(other) ? one : other);

function lastMode(path: readonly Logged[]): Mode | undefined {
  const last = foldMode(path);
  return MODES.find((mode) => mode === last);
}
