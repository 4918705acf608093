/** The header of a Markdown file: YAML between two lines of `---`. It is data and is never run. */

export type Head = Readonly<Record<string, unknown>>;

/** `problem` says why the header can't be relied on: then nothing of it is. */
export type Document = { readonly head: Head; readonly body: string } | { readonly problem: string };

/** Keys that take something away. Where a header is only guessed at, one of them may be lost, so no guess is made. */
const RESTRICTIONS = /^(tools|allowed-?tools|disallowed-?tools|mode|permission-?mode|isolation)\s*:/im;

export async function readDocument(text: string): Promise<Document> {
  const [whole, head, body = ''] = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n([\s\S]*))?$/.exec(text) ?? [];
  if (whole === undefined) {
    return /^---[ \t]*\n/.test(text) ? { problem: 'its header has no end (a line of ---)' } : { head: {}, body: text };
  }
  const parsed = await parseHead(head ?? '');
  return 'problem' in parsed ? parsed : { head: parsed.head, body };
}

async function parseHead(text: string): Promise<{ readonly head: Head } | { readonly problem: string }> {
  const { parseDocument } = await import('yaml');
  const read = (yaml: string) => {
    const document = parseDocument(yaml, { logLevel: 'silent' });
    const [error] = document.errors;
    return error ? { problem: `its header is no YAML: ${firstLine(error.message)}` } : toHead(document.toJS());
  };
  try {
    const first = read(text);
    if (!('problem' in first) || RESTRICTIONS.test(text)) return first;
    const quoted = quoteColons(text);
    const second = quoted === undefined ? first : read(quoted);
    return 'problem' in second ? first : second;
  } catch (error) {
    return { problem: `its header is no YAML: ${firstLine(String(error))}` };
  }
}

function toHead(value: unknown): { readonly head: Head } | { readonly problem: string } {
  if (value === null || value === undefined) return { head: {} };
  if (typeof value !== 'object' || Array.isArray(value)) return { problem: 'its header is not a list of `key: value`' };
  return { head: { ...value } };
}

const firstLine = (text: string): string => text.split('\n')[0]?.replace(/:$/, '') ?? '';

/** `description: Use when: x` has one meaning only, though YAML has none for it. Undefined where a line isn't so plain. */
function quoteColons(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^([A-Za-z][\w-]*):[ ]+([^\s"'[\]{}>|&*!%@`#].*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return pairs.map((pair) => `${pair?.[1]}: ${JSON.stringify(pair?.[2]?.trim())}`).join('\n');
}

export const textIn = (head: Head, key: string): string | undefined => {
  const value = head[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** A list, or words with commas or blanks between them. Undefined where the key is absent; a string is a problem. */
export function namesIn(head: Head, key: string): readonly string[] | undefined | string {
  const value = head[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value.split(/[\s,]+/).filter((name) => name !== '');
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  return `its ${key} is not a list of names`;
}
