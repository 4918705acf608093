import type { Assistant, Clock, Event, Fetch, Model, Request } from '../core/types.ts';
import { outputBudget } from './budget.ts';
import { toBody } from './clean.ts';
import { createDraft } from './draft.ts';
import { type Asked, mask } from './errors.ts';
import { handover } from './handover.ts';
import { ID_RULES, newCallId } from './ids.ts';
import { refusedField, withoutFields } from './optional.ts';
import type { Dialect, Protocol } from './protocol.ts';
import { anthropic } from './protocols/anthropic.ts';
import { openaiChat } from './protocols/openai-chat.ts';
import { openaiResponses } from './protocols/openai-responses.ts';
import { finishReply } from './reply.ts';
import type { Spec } from './resolve.ts';
import { converse, LIMITS, type Limits } from './stream.ts';

const PROTOCOLS: Readonly<Record<Dialect, Protocol>> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
};

export type ModelOptions = {
  readonly spec: Spec;
  readonly fetch: Fetch;
  readonly clock: Pick<Clock, 'time'>;
  /** As `findKey` returns it, or the key alone. `bearer`: a token for an Authorization header. */
  readonly key?: string | { readonly key: string; readonly bearer: boolean };
  /** Instead of the vendor's. */
  readonly baseUrl?: string;
  /** Instead of the spec's. */
  readonly effort?: string;
  /** Output tokens, instead of the default. */
  readonly maxTokens?: number;
  readonly limits?: Partial<Limits>;
  readonly newId?: () => string;
};

/** How many fields one request may lose to a server that refuses them one by one. */
const MAX_DROPS = 4;

/**
 * A model out of data: who is asked (`spec`) and how a machine is reached (`fetch`). It asks once (`withRetry` asks
 * again), except for a field that the server refused: the request goes again without it, and so do all later ones.
 */
export function createModel(options: ModelOptions): Model {
  const without = new Set<string>();
  return async function* ask(request, signal) {
    for (let drops = 0; ; drops++) {
      const { reply, body } = yield* attempt(options, request, signal, without);
      const field = reply.failure && drops < MAX_DROPS ? refusedField(reply.failure, body, without) : undefined;
      if (field === undefined) return reply;
      without.add(field);
    }
  };
}

async function* attempt(
  options: ModelOptions,
  request: Request,
  signal: AbortSignal,
  without: ReadonlySet<string>,
): AsyncGenerator<Event, { reply: Assistant; body: string }> {
  const { spec, fetch, clock, newId = newCallId } = options;
  const protocol = PROTOCOLS[spec.dialect];
  const draft = createDraft(request.tools.map((tool) => tool.name));
  const finish = (end: Parameters<typeof finishReply>[1]) => finishReply(draft, end, protocol, spec, newId);
  if (signal.aborted) return { reply: finish({ aborted: true }), body: '' };
  const { key, bearer } = readKey(options.key);
  const problem = missing(options, key);
  if (problem !== undefined) return { reply: finish({ failure: { kind: 'auth', message: problem } }), body: '' };
  const body = toBody(buildBody(options, protocol, request, without));
  const url = endpoint(options.baseUrl ?? spec.baseUrl, protocol.path);
  const asked: Asked = { vendor: spec.vendor, model: spec.model, host: hostOf(url), keys: spec.keys, key };
  const headers = protocol.headers(key, bearer);
  const limits = { ...LIMITS, ...options.limits };
  const failure = yield* converse({
    fetch,
    url,
    headers,
    body,
    signal,
    limits,
    protocol,
    draft,
    asked,
    time: clock.time,
  });
  if (failure) return { reply: finish({ failure: { ...failure, message: mask(failure.message, key) } }), body };
  return { reply: finish(draft.ended ? {} : { aborted: true }), body };
}

const readKey = (given: ModelOptions['key'] = ''): { key: string; bearer: boolean } =>
  typeof given === 'string' ? { key: given.trim(), bearer: false } : { key: given.key.trim(), bearer: given.bearer };

function missing({ spec, baseUrl }: ModelOptions, key: string): string | undefined {
  if (/[^\x21-\x7e]/.test(key))
    return `The key for ${spec.vendor} holds characters that no key has. Check ${spec.keys.join(' or ')}.`;
  const needed = spec.keys.length > 0 && baseUrl === undefined;
  return key === '' && needed ? `No key for ${spec.vendor}. Set ${spec.keys.join(' or ')}.` : undefined;
}

function buildBody(options: ModelOptions, protocol: Protocol, request: Request, without: ReadonlySet<string>) {
  const { spec, effort = spec.effort } = options;
  const turns = handover(request.messages, {
    dialect: spec.dialect,
    vendor: spec.vendor,
    model: spec.model,
    ids: ID_RULES[spec.quirks.ids ?? spec.dialect],
    images: spec.images !== false && !without.has('image'),
  });
  const maxTokens = outputBudget(request, spec, options.maxTokens);
  const { system, tools } = request;
  const { model, quirks } = spec;
  return withoutFields(protocol.body({ model, system, tools, turns, maxTokens, effort, quirks, without }), without);
}

/** A base URL may end in a slash, or already hold the version that the path begins with. */
export function endpoint(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return base.endsWith('/v1') && path.startsWith('/v1/') ? base + path.slice(3) : base + path;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
