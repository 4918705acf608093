/** Which ids a dialect takes, and how long a made one is. */
export type IdRule = { readonly valid: RegExp; readonly length: number };

export const ID_RULES = {
  anthropic: { valid: /^[A-Za-z0-9_-]{1,64}$/, length: 24 },
  'openai-chat': { valid: /^[A-Za-z0-9_.:-]{1,40}$/, length: 24 },
  'openai-responses': { valid: /^[A-Za-z0-9_-]{1,64}$/, length: 24 },
  nine: { valid: /^[A-Za-z0-9]{9}$/, length: 9 },
} as const satisfies Record<string, IdRule>;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Names the calls of one request. The answer depends on the calls before it only, so a longer history begins with the
 * same bytes: the vendor's id where it is valid and free, else rein's own, else one made from it.
 */
export function createIds(rule: IdRule): (id: string, vendorId: string) => string {
  const used = new Set<string>();
  const free = (id: string) => rule.valid.test(id) && !used.has(id);
  return (id, vendorId) => {
    let wire = free(vendorId) ? vendorId : id;
    for (let salt = 0; !free(wire); salt++) wire = digest(`${salt} ${id}`, rule.length);
    used.add(wire);
    return wire;
  };
}

/** `length` letters and digits out of a text: FNV-1a, one round for each. Collisions are the caller's to try again. */
function digest(source: string, length: number): string {
  let hash = 0x811c9dc5;
  let made = '';
  for (let round = 0; round < length; round++) {
    for (let at = 0; at < source.length; at++) hash = Math.imul(hash ^ source.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    made += ALPHABET.charAt((hash >>> 8) % ALPHABET.length);
  }
  return made;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** rein's own id of a call: `call_` and 16 random letters or digits. */
export function newCallId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `call_${Array.from(bytes, (byte) => LETTERS.charAt(byte % LETTERS.length)).join('')}`;
}
