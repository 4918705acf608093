/** Parts of an agent for tests: a model that says what it is told, tools that do what a test says. */
import type {
  Access,
  Agent,
  Assistant,
  Call,
  Event,
  Gate,
  Json,
  Message,
  Model,
  Output,
  Request,
  Tool,
  User,
} from '../../src/core/types.ts';

export const call = (id: string, name: string, input: Json = {}): Call => ({
  type: 'call',
  id,
  vendorId: id,
  name,
  input,
});

export const says = (text: string, stop: Assistant['stop'] = 'done'): Assistant => ({
  role: 'assistant',
  content: text === '' ? [] : [{ type: 'text', text }],
  stop,
  model: 'test/model',
});

export const calls = (...content: Call[]): Assistant => ({
  role: 'assistant',
  content,
  stop: 'calls',
  model: 'test/model',
});

/** Answers with each reply in turn, then with "done". */
export function modelOf(replies: readonly Assistant[]): Model & { requests: Request[] } {
  const requests: Request[] = [];
  const model: Model = async function* (request, signal) {
    requests.push(request);
    const reply = replies[requests.length - 1] ?? says('done');
    yield { live: 'text', text: 'x' };
    return signal.aborted ? says('', 'aborted') : reply;
  };
  return Object.assign(model, { requests });
}

export type Body = (input: Json, signal: AbortSignal) => Promise<string>;

export const toolOf = (name: string, body: Body, access: Partial<Access> = {}): Tool => ({
  name,
  description: name,
  input: { type: 'object', properties: {} },
  prepare: async (input) => ({
    access: { show: name, ...access },
    run: async function* ({ call: id, signal }): AsyncGenerator<Event, Output> {
      const running = body(input, signal);
      running.catch(() => {});
      try {
        yield { live: 'progress', call: id, text: '.' };
        const text = await running;
        return { content: [{ type: 'text', text }], ...(signal.aborted ? { stopped: true } : {}) };
      } finally {
        // A tool that is closed ends what it started before it is gone.
        await running.catch(() => {});
      }
    },
  }),
});

export const allowAll: Gate = async function* () {
  yield* [];
  return { allow: true };
};

export const user = (text: string): User => ({ role: 'user', origin: 'person', content: [{ type: 'text', text }] });

/** An agent whose view is what its loop has yielded so far. */
export function agentOf(parts: Partial<Agent> & Pick<Agent, 'model'>, said: readonly User[] = [user('go')]) {
  const messages: Message[] = [];
  const inbox = [...said];
  const agent: Agent = {
    system: '',
    tools: [],
    gate: allowAll,
    view: async function* () {
      yield* [];
      return [...messages];
    },
    inbox: () => inbox.splice(0),
    maxTurns: 20,
    ...parts,
  };
  return { agent, messages, inbox };
}

/** A promise and the means to end it. */
export function gateway<T = void>() {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
