/**
 * The loop: show the model the history, run what it asks for, go round until it asks for nothing more.
 * It yields events and returns why it ended. A yield is the commit point: whoever drives it writes each fact down
 * before resuming it, so a call is on disk before it runs, and a result before the model sees it.
 */
import { type Job, schedule } from './schedule.ts';
import type { Agent, Call, Event, Result, Stop, User, Verdict } from './types.ts';

/** Replies in a row that the output limit may cut inside a call before the loop gives up. */
const MAX_CUT_REPLIES = 2;

export async function* loop(agent: Agent, signal: AbortSignal): AsyncGenerator<Event, Stop> {
  const { system, tools } = agent;
  const schemas = tools.map(({ name, description, input }) => ({ name, description, input }));
  let overflows = 0;
  let cuts = 0;
  yield* deliver(agent.inbox());
  for (let turn = 0; turn < agent.maxTurns; turn++) {
    const messages = yield* agent.view(signal);
    if (signal.aborted) return 'aborted';
    const reply = yield* agent.model({ system, tools: schemas, messages }, signal);
    yield { type: 'message', message: reply };

    const calls = reply.content.filter((part) => part.type === 'call');
    const end = reply.stop === 'calls' ? yield* run(agent, calls, signal) : yield* refuse(calls, reply.stop);

    if (signal.aborted || reply.stop === 'aborted') return 'aborted';
    if (end) return end;
    overflows = reply.stop === 'overflow' ? overflows + 1 : 0;
    cuts = reply.stop === 'length' && calls.length > 0 ? cuts + 1 : 0;
    const again = overflows === 1 || (cuts > 0 && cuts <= MAX_CUT_REPLIES);
    if (reply.stop !== 'done' && reply.stop !== 'calls' && !again) return reply.stop;

    const late = agent.inbox();
    yield* deliver(late);
    if (calls.length === 0 && late.length === 0 && !again) return 'done';
  }
  return 'max_turns';
}

async function* deliver(messages: readonly User[]): AsyncGenerator<Event, void> {
  for (const message of messages) yield { type: 'message', message };
}

/** Gates the calls in order, then runs them as their accesses allow. Returns the stop where one of them ends the turn. */
async function* run(
  agent: Agent,
  calls: readonly Call[],
  signal: AbortSignal,
): AsyncGenerator<Event, Stop | undefined> {
  const jobs: Job[] = [];
  let denied = false;
  for (const call of calls) {
    const tool = agent.tools.find(({ name }) => name === call.name);
    const prepared = await prepare(call, tool, agent);
    if (typeof prepared === 'string') {
      yield result(call, `ERROR: ${prepared}`, 'unrun');
      continue;
    }
    const verdict: Verdict = denied
      ? { allow: false, reason: 'Not run: an earlier call of this reply was refused and the turn ended.' }
      : yield* agent.gate(call, prepared.access, signal);
    if (verdict.allow) jobs.push({ call, ...prepared });
    else {
      denied ||= verdict.end === true;
      yield result(call, `ERROR: ${verdict.reason}`, 'refused');
    }
  }
  const ended = yield* schedule(jobs, signal);
  return denied ? 'denied' : ended ? 'done' : undefined;
}

async function prepare(call: Call, tool: Agent['tools'][number] | undefined, { tools }: Agent) {
  if (!tool) return `there is no tool "${call.name}". The tools are: ${tools.map(({ name }) => name).join(', ')}.`;
  if (call.broken !== undefined) {
    return `the arguments of ${call.name} could not be read and nothing was run: ${call.broken}. Send the call again with valid JSON.`;
  }
  return tool.prepare(call.input).catch((error: unknown) => `${call.name} could not be prepared: ${String(error)}`);
}

/** A reply that was cut short runs nothing, but every call of it gets its answer. */
async function* refuse(calls: readonly Call[], stop: string): AsyncGenerator<Event, undefined> {
  const why =
    stop === 'length'
      ? 'the reply was cut by the output limit, so this call was not run. Do it in smaller steps.'
      : 'the reply ended early, so this call was not run.';
  for (const call of calls) yield result(call, `ERROR: ${why}`, 'unrun');
  return undefined;
}

const result = ({ id, name }: Call, text: string, how: Result['how']): Event => ({
  type: 'message',
  message: { role: 'result', call: id, name, content: [{ type: 'text', text }], failed: true, how },
});
