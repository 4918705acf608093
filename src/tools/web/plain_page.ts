/** HTML to Markdown in one pass over tags: no document, no idea of what matters, but any page of any size. */
export const plainPage = (html: string, base: string): string => {
  const out: string[] = [];
  const links: string[] = [];
  let pre = 0;
  for (const token of scan(html)) {
    if (token.kind === 'text')
      out.push(pre > 0 ? decodeEntities(token.text) : decodeEntities(token.text.replace(/\s+/g, ' ')));
    else if (token.name === 'pre') {
      out.push(token.closing ? '\n```\n\n' : '\n\n```\n');
      pre = Math.max(0, pre + (token.closing ? -1 : 1));
    } else if (token.name === 'a') out.push(token.closing ? closeLink(links.pop()) : openLink(links, token.text, base));
    else out.push(pre > 0 ? '' : markOf(token));
  }
  return out
    .join('')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tag'; readonly name: string; readonly closing: boolean; readonly text: string };

/** Elements whose text is not for readers. */
const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head']);

/** Linear whatever comes: a search that finds nothing ends the page. */
function* scan(html: string): Generator<Token> {
  const lower = html.toLowerCase();
  const find = (text: string, from: number) => {
    const at = lower.indexOf(text, from);
    return at < 0 ? html.length : at;
  };
  const tag = /<(\/?)([a-z][a-z0-9-]*)/y;
  for (let at = 0; at < html.length; ) {
    const open = find('<', at);
    if (open > at) yield { kind: 'text', text: html.slice(at, open) };
    if (lower.startsWith('<!--', open)) {
      at = find('-->', open + 4) + 3;
      continue;
    }
    tag.lastIndex = open;
    const [, slash, name] = tag.exec(lower) ?? [];
    if (name === undefined) {
      const declaration = lower[open + 1] === '!' || lower[open + 1] === '?';
      if (!declaration && open < html.length) yield { kind: 'text', text: '<' };
      at = declaration ? find('>', open) + 1 : open + 1;
      continue;
    }
    const end = find('>', open);
    const closing = slash === '/';
    yield { kind: 'tag', name, closing, text: html.slice(open, end) };
    at = HIDDEN.has(name) && !closing ? find(`</${name}`, end) : end + 1;
  }
}

const markOf = ({ name, closing }: { readonly name: string; readonly closing: boolean }): string => {
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return closing ? '\n\n' : `\n\n${'#'.repeat(Number(level))} `;
  if (name === 'li') return closing ? '' : '\n- ';
  if (name === 'td' || name === 'th') return closing ? ' | ' : '';
  if (name === 'code') return '`';
  if (name === 'br' || name === 'tr') return closing && name === 'tr' ? '' : '\n';
  return /^(p|div|section|article|main|header|footer|nav|ul|ol|dl|table|blockquote|figure|form|hr|dt|dd|title)$/.test(
    name,
  )
    ? '\n\n'
    : '';
};

const openLink = (links: string[], tag: string, base: string): string => {
  const [, double, single, bare] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag) ?? [];
  const href = decodeEntities(double ?? single ?? bare ?? '');
  links.push(href !== '' && URL.canParse(href, base) ? new URL(href, base).href : '');
  return links.at(-1) === '' ? '' : '[';
};

const closeLink = (href: string | undefined): string => (href ? `](${href})` : '');

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (all, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? all;
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
