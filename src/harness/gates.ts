/** Who judges the calls: the policy with the rules of this moment, and for a sub-agent the parent besides. */
import type { Access, Call, Event, Gate, Verdict } from '../core/types.ts';
import type { Parent } from './crew/leash.ts';
import type { HarnessOptions } from './harness.ts';
import type { Record } from './record.ts';
import type { Mode } from './settings.ts';

export type Gates = {
  /** For this session's own calls. */
  readonly gate: Gate;
  /** For the calls of its descendants. */
  readonly judge: Parent['judge'];
  readonly mode: () => Mode;
};

export function createGates(options: HarnessOptions, record: Record): Gates {
  const mode = (): Mode => options.settings.permissionMode ?? 'ask';
  const { parent, leash } = options;

  const decide = async function* (call: Call, access: Access): AsyncGenerator<Event, Verdict> {
    yield* [];
    const allowed = options.settings.permissions?.allow?.includes(call.name) ?? false;
    const harmless = !access.anything && !access.writes?.length && !access.hosts?.length;
    return mode() === 'bypass' || allowed || harmless ? { allow: true } : { allow: false, reason: 'not allowed' };
  };
  const gate: Gate = async function* (call, access, signal) {
    const own = yield* decide(call, access);
    if (!own.allow || !parent) return own;
    return parent.judge(call, access, leash?.from ?? [], signal);
  };
  const judge: Parent['judge'] = async (call, access, from, signal) => {
    if (parent) return parent.judge(call, access, from, signal);
    const events = decide(call, access);
    for (;;) {
      const step = await events.next();
      if (step.done) return step.value;
      if ('live' in step.value) record.show(step.value);
      else await record.commit(step.value);
    }
  };
  return { gate, judge, mode };
}
