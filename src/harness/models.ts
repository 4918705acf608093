/** Chooses a model by name, key and place, and dresses it: retries, a fallback. */
import type { Clock, Fetch, Model } from '../core/types.ts';
import {
  type Catalog,
  catalogDate,
  createModel,
  EFFORTS,
  findKey,
  firstVendor,
  LOCAL_VENDORS,
  resolveModel,
  type Spec,
  withFallback,
  withRetry,
  withTextCallHint,
  withTextCalls,
} from '../providers/index.ts';

export type Chosen = { readonly spec: Spec; readonly run: Model };

export type Models = {
  /** A sentence where there is no such model, or no key for it. */
  readonly choose: (name: string, effort?: string) => Chosen | string;
  /** The first vendor whose key is set, then a local server that answers; a complaint where there is neither. */
  readonly find: () => Promise<string | { readonly complaint: string }>;
  /** `vendor/model` of the catalog, those with a key first. */
  readonly list: () => readonly string[];
  readonly catalog: Catalog;
  /** The day on which the built-in prices and sizes were looked up. */
  readonly date: string;
};

export type ModelsOptions = {
  readonly catalog: Catalog;
  readonly variables: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly fallback: string | undefined;
  /** Overrides the address of whichever vendor is used. */
  readonly baseUrl: string | undefined;
  /** Milliseconds that a server may make us wait. */
  readonly maxWait: number;
  readonly offline: boolean;
  /** There is a cap on money, which nobody can hold with a model of unknown price. */
  readonly capped?: boolean;
};

/** Milliseconds that a local server has to answer when one is looked for. */
const PROBE_TIME = 300;

export function createModels(options: ModelsOptions): Models {
  const { catalog, variables, clock, fetch } = options;

  const bare = (name: string, effort?: string): Chosen | string => {
    if (effort !== undefined && !EFFORTS.includes(effort)) {
      return `There is no effort ${effort}. Use one of ${EFFORTS.join(', ')}.`;
    }
    const spec = resolveModel(name, catalog);
    if (typeof spec === 'string') return spec;
    const key = findKey(spec, variables);
    const baseUrl = options.baseUrl ?? (variables[spec.baseVariable] || undefined);
    // A proxy of one's own may want no key.
    if (!key && spec.keys.length > 0 && baseUrl === undefined) return noKey(spec);
    const level = effort ?? spec.effort;
    const run = createModel({
      spec,
      fetch,
      clock,
      ...(key ? { key } : {}),
      ...(baseUrl ? { baseUrl } : {}),
      ...(level ? { effort: level } : {}),
    });
    return { spec, run: spec.textCalls ? withTextCalls(run) : withTextCallHint(run) };
  };
  const choose = (name: string, effort?: string): Chosen | string => {
    const first = bare(name, effort);
    if (typeof first === 'string') return first;
    const second = options.fallback === undefined ? undefined : bare(options.fallback);
    if (typeof second === 'string') return second;
    const unpriced = [first, second].find((chosen) => chosen && chosen.spec.price === undefined);
    if (options.capped && unpriced) return noPrice(unpriced.spec.name);
    const run = second ? withFallback(first.run, second.run) : first.run;
    return { spec: first.spec, run: withRetry(run, { clock, maxWait: options.maxWait }) };
  };
  const find = async () => {
    const vendor = firstVendor(catalog, variables);
    if (vendor !== undefined) return vendor;
    const local = options.offline ? undefined : await findLocal(catalog, variables, fetch);
    return local ?? { complaint: NO_MODEL };
  };
  const list = () => {
    const names = Object.keys(catalog.models);
    const usable = names.filter((name) => typeof bare(name) !== 'string');
    return [...usable, ...names.filter((name) => !usable.includes(name))];
  };
  return { choose, find, list, catalog, date: catalogDate };
}

export const noPrice = (name: string): string =>
  `no price is known for ${name}, so --max-cost can't hold. Give one in settings (models.${name}.price) or use --max-turns.`;

const noKey = ({ name, keys }: Spec): string =>
  `there is no key for ${name}. Set ${keys[0]}, or choose another model with --model.`;

const NO_MODEL =
  'there is no model to ask. Set ANTHROPIC_API_KEY (or OPENAI_API_KEY, OPENROUTER_API_KEY, …); or start a local server (Ollama, LM Studio, llama.cpp); or start rein at a terminal and choose the demo, which needs neither';

/** The first local server that answers, and the first model it has. */
async function findLocal(
  catalog: Catalog,
  variables: Readonly<Record<string, string>>,
  fetch: Fetch,
): Promise<string | undefined> {
  for (const vendor of LOCAL_VENDORS) {
    const spec = resolveModel(`${vendor}/any`, catalog);
    if (typeof spec === 'string') continue;
    const model = await firstModel(variables[spec.baseVariable] || spec.baseUrl, fetch);
    if (model !== undefined) return `${vendor}/${model}`;
  }
  return undefined;
}

async function firstModel(baseUrl: string, fetch: Fetch): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIME);
    const response = await fetch(`${baseUrl}/models`, { method: 'GET', headers: {}, body: '', signal });
    if (response.status !== 200 || !response.body) return undefined;
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
    const models: { data?: { id?: unknown }[] } = JSON.parse(text);
    const id = models.data?.[0]?.id;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** A model that a program brought along, under one name. */
export function ownModels(model: Model, catalog: Catalog): Models {
  const name = 'own/model';
  const spec: Spec = {
    name,
    vendor: 'own',
    model: 'model',
    dialect: 'openai-chat',
    baseUrl: '',
    keys: [],
    baseVariable: '',
    quirks: {},
  };
  return {
    choose: () => ({ spec, run: model }),
    find: async () => name,
    list: () => [name],
    catalog,
    date: catalogDate,
  };
}
