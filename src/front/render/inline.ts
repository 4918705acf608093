import type { Theme } from './theme.ts';

/**
 * Markdown inside a line: code, strong, emphasis, struck, links. Text must be `safe` already. What is not closed on its
 * own line is left as it stands.
 */
export const inline = (text: string, theme: Theme): string => {
  let out = '';
  let from = 0;
  for (const match of text.matchAll(SPAN)) {
    out += unescaped(text.slice(from, match.index));
    from = match.index + match[0].length;
    out += span(match, theme);
  }
  return out + unescaped(text.slice(from));
};

const SPAN = new RegExp(
  [
    /(?<tick>`+)(?<code>.+?)(?<!`)\k<tick>(?!`)/,
    /(?<!\\)\*\*(?<strong>(?=\S).+?(?<=\S))\*\*/,
    /(?<![\w\\])__(?<strong2>(?=\S).+?(?<=\S))__(?!\w)/,
    /(?<![\w\\*])\*(?<em>(?=[^\s*]).*?(?<=[^\s*\\]))\*(?![\w*])/,
    /(?<![\w\\])_(?<em2>(?=[^\s_]).*?(?<=[^\s_\\]))_(?!\w)/,
    /~~(?<struck>(?=\S).+?(?<=\S))~~/,
    /!?\[(?<label>[^\]]+)\]\((?<url>[^)\s]+)(?:\s+"[^"]*")?\)/,
  ]
    .map((part) => part.source)
    .join('|'),
  'g',
);

const span = (match: RegExpExecArray, theme: Theme): string => {
  const groups = match.groups ?? {};
  const { code, struck, label, url } = groups;
  const strong = groups['strong'] ?? groups['strong2'];
  const em = groups['em'] ?? groups['em2'];
  if (code !== undefined) return theme.code(code);
  if (strong !== undefined) return theme.bold(inline(strong, theme));
  if (em !== undefined) return theme.italic(inline(em, theme));
  if (struck !== undefined) return theme.strike(inline(struck, theme));
  if (label === undefined || url === undefined) return match[0];
  return label === url ? theme.accent(url) : `${inline(label, theme)} ${theme.dim(`(${url})`)}`;
};

const unescaped = (text: string): string => text.replace(/\\([\\`*_{}[\]()#+\-.!|~>])/g, '$1');
