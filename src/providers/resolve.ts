import type { Catalog, ModelInfo, Quirks, Vendor } from './catalog.ts';
import type { Dialect } from './protocol.ts';

/** Everything a request needs to know about who answers it. */
export type Spec = Omit<ModelInfo, 'quirks'> & {
  /** `vendor/model` */
  readonly name: string;
  readonly vendor: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly baseUrl: string;
  /** Environment variables that may hold the key; none where no key is needed. */
  readonly keys: readonly string[];
  readonly baseVariable: string;
  readonly effort?: string;
  readonly quirks: Quirks;
};

/** How much a model may think; each vendor gets what it has of these. */
export const EFFORTS: readonly string[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Who `vendor/model[:effort]` is. A vendor alone means its default model; a model alone must be in the catalog. A
 * model that the catalog doesn't list is taken at its word. A string is what a person should read instead.
 */
export function resolveModel(asked: string, catalog: Catalog): Spec | string {
  const { name, effort } = splitEffort(asked.trim());
  if (name === '') return 'No model named. Use vendor/model, for example anthropic/claude-sonnet-5-5.';
  const slash = name.indexOf('/');
  const alone = slash < 0;
  const vendorName = alone ? (catalog.vendors[name] ? name : vendorOf(name, catalog)) : name.slice(0, slash);
  const vendor = vendorName === undefined ? undefined : catalog.vendors[vendorName];
  if (vendorName === undefined || !vendor) return unknown(name, catalog, alone);
  const model = !alone ? name.slice(slash + 1) : name === vendorName ? (vendor.model ?? '') : name;
  if (model === '') return `Which model of ${vendorName}? Use ${vendorName}/MODEL.`;
  return describe(vendorName, vendor, model, catalog, effort);
}

function describe(vendorName: string, vendor: Vendor, model: string, catalog: Catalog, effort?: string): Spec {
  const name = `${vendorName}/${model}`;
  const { quirks, ...info } = catalog.models[name] ?? dated(name, catalog) ?? {};
  return {
    ...info,
    name,
    vendor: vendorName,
    model,
    dialect: vendor.dialect ?? 'openai-chat',
    baseUrl: vendor.baseUrl,
    keys: keysOf(vendorName, vendor),
    baseVariable: vendor.baseVariable ?? variable(vendorName, 'BASE_URL'),
    quirks: { ...vendor.quirks, ...quirks },
    ...(effort === undefined ? {} : { effort }),
  };
}

/** `model-20251101` is the `model` of the catalog. */
const dated = (name: string, catalog: Catalog): ModelInfo | undefined =>
  catalog.models[name.replace(/-(20\d{6}|20\d\d-\d\d-\d\d|latest)$/, '')];

/** The environment variables that may hold a vendor's key, best first. */
export const keysOf = (name: string, { keys }: Pick<Vendor, 'keys'>): readonly string[] =>
  keys ?? [variable(name, 'API_KEY')];

const variable = (vendor: string, what: string): string =>
  `${vendor.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}_${what}`;

/** Only a known effort is one: names such as `qwen3:8b` hold colons too. */
function splitEffort(asked: string): { name: string; effort?: string } {
  const colon = asked.lastIndexOf(':');
  const effort = asked.slice(colon + 1).toLowerCase();
  return colon > 0 && EFFORTS.includes(effort) ? { name: asked.slice(0, colon), effort } : { name: asked };
}

const vendorOf = (model: string, catalog: Catalog): string | undefined =>
  Object.keys(catalog.vendors).find((vendor) => Object.hasOwn(catalog.models, `${vendor}/${model}`));

function unknown(name: string, catalog: Catalog, alone: boolean): string {
  const vendors = Object.keys(catalog.vendors).join(', ');
  return alone
    ? `Which vendor has the model ${name}? Use vendor/${name}; vendors: ${vendors}.`
    : `Unknown vendor in ${name}. Use one of ${vendors}, or define it in settings.`;
}

/** A key from the environment: the first of the vendor's variables that is set. */
export type Key = { readonly variable: string; readonly key: string; readonly bearer: boolean };

export function findKey(spec: Pick<Spec, 'keys'>, env: Readonly<Record<string, string | undefined>>): Key | undefined {
  for (const name of spec.keys) {
    const key = env[name]?.trim();
    // What *_AUTH_TOKEN holds goes into an Authorization header, by the convention of its inventor.
    if (key) return { variable: name, key, bearer: name.endsWith('_AUTH_TOKEN') };
  }
  return undefined;
}

/** The first vendor, in the catalog's order, whose key is set and that has a default model. */
export function firstVendor(catalog: Catalog, env: Readonly<Record<string, string | undefined>>): string | undefined {
  return Object.keys(catalog.vendors).find((name) => {
    const spec = resolveModel(name, catalog);
    return typeof spec !== 'string' && findKey(spec, env) !== undefined;
  });
}
