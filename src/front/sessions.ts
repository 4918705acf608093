/** What `rein sessions` prints: lines for a person. */
import type { Bill, Sum } from '../harness/bill.ts';
import type { Match } from '../harness/search.ts';
import type { Summary } from '../harness/shelf.ts';
import { oneLine } from './render/safe.ts';
import { count, money, tokens } from './render/units.ts';

/** A line for each session, sub-agents below the one that started them. `now` is milliseconds since the epoch. */
export const listing = (sessions: readonly Summary[], now: number, depth = 0): string =>
  sessions
    .map((session) => {
      const mark = depth > 0 ? `${'  '.repeat(depth)}↳ ` : session.startedBy === undefined ? '' : '↳ ';
      return `${mark}${headOf(session, now)}\n${listing(session.children, now, depth + 1)}`;
    })
    .join('');

const headOf = ({ id, changed, cwd, title }: Summary, now: number): string =>
  `${id}  ${age(now - changed).padStart(4)}  ${oneLine(cwd)}  ${oneLine(title, 80)}`;

/** `now`, `5m`, `3h`, `12d`; what a clock that was set back makes negative is now. */
const age = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m`;
  return minutes < 1440 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / 1440)}d`;
};

const NAMES = { person: 'you', model: 'model', tool: 'tool' } as const;

/** `term` is what the texts are shown around. */
export const foundListing = (found: readonly { session: Summary; match: Match }[], term: string, now: number): string =>
  found
    .map(({ session, match }) => {
      const lines = match.said.map(({ who, text }) => `    ${NAMES[who]}: ${around(text, term)}\n`);
      const more = match.count - match.said.length;
      return `${headOf(session, now)}\n${more > 0 ? `    … ${more} more\n` : ''}${lines.join('')}`;
    })
    .join('\n');

/** Characters before the place that was found, and in all. */
const SNIPPET = { before: 40, length: 120 };

function around(text: string, term: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const at = Math.max(0, flat.toLowerCase().indexOf(term.toLowerCase()) - SNIPPET.before);
  const end = at + SNIPPET.length;
  return oneLine(`${at > 0 ? '…' : ''}${flat.slice(at, end)}${end < flat.length ? '…' : ''}`);
}

export const billText = ({ total, models, folders }: Bill, since: string | undefined): string =>
  [
    `${sumText(total)}${since === undefined ? '' : `, in the last ${since}`}`,
    ...part('By model', models),
    ...part('By folder', folders),
    '',
  ].join('\n');

const part = (title: string, sums: Bill['models']): readonly string[] =>
  sums.length === 0 ? [] : ['', title, ...sums.map(([name, sum]) => `  ${oneLine(name)}: ${sumText(sum)}`)];

function sumText({ usage, requests, unpriced }: Sum): string {
  const { input, cacheWrite, cacheRead, output, cost = 0 } = usage;
  const known = unpriced === requests && requests > 0 ? 'price unknown' : money(cost);
  const price = unpriced === 0 || unpriced === requests ? known : `at least ${known} (${unpriced} of unknown price)`;
  const used = `${tokens(input + cacheWrite)} in, ${tokens(cacheRead)} cached, ${tokens(output)} out`;
  return `${price}, ${count(requests, 'request')}, ${used}`;
}
