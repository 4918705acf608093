/**
 * Secrets in text: values that are known, and tokens by their shape, become `[secret NAME]`. What a secret is, is guessed
 * with care in both directions: `postgres` as a password would otherwise vanish from every source file.
 */
import type { Assigned } from '../env/env-file.ts';
import { tokenShapes } from './token-shapes.ts';

/** `known`: a key by its origin, however it looks. */
export type Secret = Assigned & { readonly known?: true };

export type Redactor = {
  readonly text: (text: string) => string;
  /** For text that comes in pieces: what may be the beginning of a secret waits for the next one. */
  readonly stream: () => { readonly push: (piece: string) => string; readonly end: () => string };
  /** The first marker in the text that stands for something hidden in this session. */
  readonly markerIn: (text: string) => string | undefined;
  /** Markers that an earlier part of the session holds. */
  readonly recall: (text: string) => void;
};

const MARKER = /\[secret ([\w.-]+)\]/g;

/** `secrets` is asked for each text; it returns the same array as long as nothing changed. */
export function createRedactor(secrets: () => readonly Secret[], off: readonly string[] = []): Redactor {
  const shapes = tokenShapes().filter(({ name }) => isOn(name, off));
  const used = new Set<string>();
  let built: { readonly from: readonly Secret[]; readonly rules: readonly Rule[] } | undefined;

  const rules = (): readonly Rule[] => {
    const from = secrets();
    if (built?.from !== from) built = { from, rules: rulesFor(from.filter(({ name }) => isOn(name, off))) };
    return built.rules;
  };
  const hide = (name: string): string => {
    used.add(name);
    return `[secret ${name}]`;
  };
  const text = (whole: string): string => {
    let shown = whole;
    for (const { pattern, nameOf } of rules()) shown = shown.replace(pattern, (value) => hide(nameOf(value)));
    for (const { name, hint, pattern, unless } of shapes) {
      if (!includes(shown, hint)) continue;
      shown = shown.replace(pattern, (found) => (unless?.test(found) ? found : hide(name)));
    }
    return shown;
  };
  const marks = (said: string): string[] => [...said.matchAll(MARKER)].map(([, name = '']) => name);
  return {
    text,
    stream: () => createStream(text, () => secrets().map(({ value }) => value)),
    markerIn: (said) => {
      const name = marks(said).find((one) => used.has(one));
      return name && `[secret ${name}]`;
    },
    recall: (said) => {
      for (const name of marks(said)) used.add(name);
    },
  };
}

const isOn = (name: string, off: readonly string[]): boolean => !off.includes(name) && !off.includes('*');

const includes = (text: string, hint: string): boolean =>
  text.includes(hint) || (hint.includes('aws') && /aws_s/i.test(text));

type Rule = { readonly pattern: RegExp; readonly nameOf: (found: string) => string };

/** One pattern for all values that are secret wherever they stand, and one for each that is secret only behind its name. */
function rulesFor(secrets: readonly Secret[]): readonly Rule[] {
  const names = new Map<string, string>();
  const rules: Rule[] = [];
  for (const secret of secrets) {
    const { name, value } = secret;
    const strong = strongParts(secret);
    for (const part of strong.flatMap(spellings)) if (!names.has(part)) names.set(part, name);
    if (strong.length > 0 || value.length < 4 || !isSecretName(name) || isPlain(value)) continue;
    const behind = `(?<=${literally(name)}["']?\\s{0,4}[=:]\\s{0,4}["']?)${literally(value)}(?![\\w-])`;
    rules.push({ pattern: new RegExp(behind, 'g'), nameOf: () => name });
  }
  if (names.size === 0) return rules;
  const values = [...names.keys()].sort((a, b) => b.length - a.length).map(bounded);
  return [{ pattern: new RegExp(values.join('|'), 'g'), nameOf: (found) => names.get(found) ?? 'value' }, ...rules];
}

/** A short one may be a part of some word by chance. */
const bounded = (value: string): string =>
  value.length >= 16 ? literally(value) : `(?<![A-Za-z0-9])${literally(value)}(?![A-Za-z0-9])`;

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** As it is, as JSON and addresses write it, and in base64. */
const spellings = (value: string): readonly string[] => [
  ...new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    ...(value.length >= 12 ? [Buffer.from(value).toString('base64').replace(/=+$/, '')] : []),
  ]),
];

const MIN = 8;
const MAX = 16_384;

/** The parts of a value that are secret wherever they stand: all of it, its long lines, the password in an address. */
function strongParts({ name, value, known }: Secret): readonly string[] {
  if (value.length > MAX) return [];
  const password = /^[a-z][\w+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(value)?.[1];
  if (password !== undefined) return isStrong(password) ? [value, password] : [];
  const strong = known ? value.length >= MIN : isSecretName(name) ? isStrong(value) : isRandom(value);
  if (!strong) return [];
  const lines = value.includes('\n') ? value.split('\n').filter((line) => line.length >= 24 && isRandom(line)) : [];
  return [value, ...lines];
}

const SECRET_NAME =
  /(?:^|[_.-])(?:token|secret|pass(?:word|wd|phrase)?|pwd|key|apikey|credentials?|pat|auth|dsn|cookie|salt|webhook)s?(?:[_.-]|$)|(?:secret|password|token|apikey)$/i;

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !/public|^PWD$/i.test(name);

/** Places, numbers, switches: no secret under whatever name. */
const isPlain = (value: string): boolean =>
  /^(?:\.{0,2}~?\/\S*|[\d.:,]+|true|false|yes|no|on|off|none|null|\$\{?\w+\}?)$/i.test(value) ||
  /^[a-z][\w+.-]*:\/\/[^@]*$/i.test(value);

const isStrong = (value: string): boolean =>
  value.length >= MIN && new Set(value).size >= 5 && !isPlain(value) && !isProse(value);

/** Words: they stand in every other file, too. */
const isProse = (value: string): boolean =>
  value.length < 20 && /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_. ](?:[A-Z]?[a-z]+|[A-Z]+))*\d{0,2}$/.test(value);

/** Under a name that says nothing, only what nobody would have made up. */
const isRandom = (value: string): boolean =>
  value.length >= 20 &&
  !isPlain(value) &&
  /^\S+$/.test(value) &&
  /\d/.test(value) &&
  (/^[0-9a-f]{32,}$/i.test(value) || (/[A-Z]/.test(value) && /[a-z]/.test(value) && /[\w+/]{20}/.test(value)));

/** A word that goes on for longer is no secret any more. */
const LONGEST = 8192;

function createStream(redact: (text: string) => string, values: () => readonly string[]) {
  let pending = '';
  const push = (piece: string): string => {
    pending += piece;
    const cut = pending.length > LONGEST * 4 ? pending.length : safeEnd(pending, values());
    const ready = pending.slice(0, cut);
    pending = pending.slice(cut);
    return redact(ready);
  };
  const end = (): string => {
    const rest = redact(pending);
    pending = '';
    return rest;
  };
  return { push, end };
}

/** A private key, or what may become one, without its end. */
const OPEN_BLOCK = /^-----BEGIN [A-Z ]*(?:$|PRIVATE KEY(?![\s\S]*-----END [A-Z ]*-----\s))/;

/** Up to where no secret can have begun that has not ended. */
function safeEnd(text: string, values: readonly string[]): number {
  const word = /\S*$/.exec(text.slice(-LONGEST))?.[0].length ?? 0;
  let end = text.length - word;
  const block = text.lastIndexOf('-----BEGIN ');
  if (block >= 0 && OPEN_BLOCK.test(text.slice(block))) end = Math.min(end, block);
  for (const value of values) {
    if (!/\s/.test(value)) continue;
    const from = Math.max(0, end - value.length);
    for (let at = from; at < end; at++) if (value.startsWith(text.slice(at, at + value.length))) end = at;
  }
  return end;
}
