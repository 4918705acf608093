/**
 * What a terminal would obey is shown instead: escape sequences, C0 and C1 controls, and the marks that reorder text.
 * Line feeds and tabs stay. Everything that comes from a model, a tool, a file or a server goes through here.
 */
export const safe = (text: string): string => text.replaceAll('\r\n', '\n').replace(DANGEROUS, visible);

/** As `safe`, and nothing stays hidden: blanks that are no blank, joiners, fillers, tags. For what a person approves. */
export const exposed = (text: string): string => safe(text).replace(HIDDEN, visible);

/** One line out of any text: what is left over is counted, not dropped silently. */
export const oneLine = (text: string, max = 200): string => {
  const [first = '', ...rest] = safe(text).trim().split('\n');
  const cut = first.length > max ? `${first.slice(0, max)}…` : first;
  return rest.length > 0 ? `${cut} (+${rest.length} lines)` : cut;
};

const DANGEROUS =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const HIDDEN = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zs}]--[ ]]/gv;

const visible = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
};
