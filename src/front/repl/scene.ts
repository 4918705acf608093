import type { Assistant, Call, Event, Message, Result, User } from '../../core/types.ts';
import { isPersons } from '../../harness/messages.ts';
import { shellLineIn } from '../../harness/shell-line.ts';
import type { Seen } from '../../harness/types.ts';
import { describeEnding } from '../ending.ts';
import { factRows, noiseRows } from '../narrate.ts';
import { emptyMarkdown, feed, finish, type Markdown, markdownRows } from '../render/markdown.ts';
import { blank, lineRow, type Row, textRow } from '../render/row.ts';
import { oneLine, safe } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { describeCall, endedRows, took } from '../render/tools.ts';
import { duration } from '../render/units.ts';
import { advance, bill, type Runs, runRows } from './runs.ts';

/** What is in flux, as a fold of the events so far. What is settled has become rows and is not in here. */
export type Scene = {
  /** The reply that streams: its text, and how many rows of it were given out. */
  readonly text: string;
  readonly markdown: Markdown;
  readonly given: number;
  readonly doing: 'thinking' | 'writing' | string;
  /** Since when it thinks. */
  readonly thinking: number | null;
  readonly running: Runs;
  /** The calls of the last reply, for those that never start. */
  readonly calls: readonly Call[];
  /** The kind of the last row: kinds are set apart by an empty line. */
  readonly last: Kind;
};

type Kind = 'user' | 'text' | 'tool' | 'note';

/** Lines of a prompt that are shown again; shorter thoughts are not worth a line, milliseconds. */
const MAX_PROMPT = 40;
const MIN_THOUGHT = 1000;

export const emptyScene: Scene = {
  text: '',
  markdown: emptyMarkdown,
  given: 0,
  doing: 'working',
  thinking: null,
  running: new Map(),
  calls: [],
  last: 'note',
};

/** `drop` rows at the end are void, then `rows` follow. */
export type Step = { readonly scene: Scene; readonly drop: number; readonly rows: readonly Row[] };

/** One event further. Pure: the same events give the same rows. */
export const step = (before: Scene, seen: Seen | Event, look: Look, now: number): Step => {
  const { scene, rows } = isThought(seen) ? { scene: before, rows: [] } : endThought(before, look, now);
  const next = follow(scene, seen, look, now);
  return rows.length === 0 ? next : { ...next, rows: [...rows, ...next.rows] };
};

const follow = (scene: Scene, seen: Seen | Event, look: Look, now: number): Step => {
  if (!('live' in seen)) {
    if (seen.type === 'message') return stepMessage(scene, seen.message, look, now);
    // The status line has the mode.
    if (seen.type === 'mode') return keep(scene);
    const rows = seen.type === 'ended' ? endRows(seen.stop, look) : factRows(look, seen);
    return say(seen.type === 'ended' ? { ...scene, running: new Map() } : scene, 'note', rows);
  }
  switch (seen.live) {
    case 'text':
      return stepText(scene, seen.text, look);
    case 'thinking':
      return keep({ ...scene, doing: 'thinking', thinking: scene.thinking ?? now });
    case 'calling':
      return keep({ ...scene, doing: `preparing ${oneLine(seen.name, 40)}` });
    case 'retracted':
      return { scene: quiet(scene), drop: scene.given, rows: [] };
    case 'started':
      return keep({ ...scene, doing: 'working', running: advance(scene.running, seen, now) });
    case 'progress':
    case 'child':
      return keep({ ...scene, running: advance(scene.running, seen, now) });
    default:
      return say(scene, 'note', noiseRows(look, seen));
  }
};

const keep = (scene: Scene): Step => ({ scene, drop: 0, rows: [] });

/** Rows of a kind, set apart from another kind; what streamed before them is no longer at the end, so it stays. */
const say = (scene: Scene, kind: Kind, rows: readonly Row[]): Step =>
  rows.length === 0
    ? keep(scene)
    : { scene: { ...scene, last: kind, given: 0 }, drop: 0, rows: [...gap(scene, kind), ...rows] };

const gap = (scene: Scene, kind: Kind): readonly Row[] => (scene.last === kind && kind !== 'user' ? [] : [blank]);

const quiet = (scene: Scene): Scene => ({ ...scene, text: '', markdown: emptyMarkdown, given: 0, doing: 'working' });

const isThought = (seen: Seen | Event): boolean =>
  'live' in seen && (seen.live === 'thinking' || seen.live === 'progress' || seen.live === 'child');

/** Thoughts are folded into the time they took; Ctrl+O has them whole. */
const endThought = (scene: Scene, look: Look, now: number): Step => {
  if (scene.thinking === null) return keep(scene);
  const rested = { ...scene, thinking: null };
  const time = now - scene.thinking;
  if (time < MIN_THOUGHT || scene.text !== '') return keep(rested);
  return say(rested, 'note', [lineRow(look, look.theme.dim(`∴ thought for ${duration(time)}`))]);
};

const stepText = (scene: Scene, delta: string, look: Look): Step => {
  // Leading blanks of a reply are nothing to see.
  const text = scene.text === '' ? delta.trimStart() : delta;
  if (text === '') return keep(scene);
  const { markdown, rows } = feed(scene.markdown, text, look);
  const before = scene.text === '' ? gap(scene, 'text') : [];
  const given = scene.given + before.length + rows.length;
  return {
    scene: { ...scene, text: scene.text + text, markdown, given, doing: 'writing' },
    drop: 0,
    rows: [...before, ...rows],
  };
};

const stepMessage = (scene: Scene, message: Message, look: Look, now: number): Step => {
  if (message.role === 'user') return say(scene, 'user', userRows(message, look));
  return message.role === 'result' ? stepResult(scene, message, look, now) : stepReply(scene, message, look);
};

/** The reply as it was committed. Where it is what streamed, only its end is missing. */
const stepReply = (scene: Scene, reply: Assistant, look: Look): Step => {
  const text = reply.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
  const failure = reply.failure
    ? [textRow(look, `${look.theme.bad('✗')} ${oneLine(reply.failure.message, 1000)}`, 2)]
    : [];
  const streamed = scene.text !== '' && scene.text.trimEnd() === text;
  const rest = streamed
    ? finish({ ...scene.markdown, rest: scene.markdown.rest.trimEnd() }, look)
    : markdownRows(text, look);
  const before = streamed || text === '' ? [] : gap(scene, 'text');
  const last = text === '' ? scene.last : 'text';
  const calls = reply.content.filter((part) => part.type === 'call');
  const ended = say({ ...quiet(scene), calls, last }, 'note', failure);
  return {
    scene: ended.scene,
    drop: streamed ? 0 : scene.given,
    rows: [...before, ...(text === '' ? [] : rest), ...ended.rows],
  };
};

const stepResult = (scene: Scene, result: Result, look: Look, now: number): Step => {
  const run = scene.running.get(result.call);
  const call = scene.calls.find(({ id }) => id === result.call);
  const show = run?.show ?? (call ? describeCall(call) : '');
  const asides = run ? [...bill(run), took(now - run.at)] : [];
  const running = advance(scene.running, { type: 'message', message: result }, now);
  return say({ ...scene, running }, 'tool', endedRows(look, result.name, show, result, asides));
};

const userRows = (user: User, look: Look): readonly Row[] => {
  const { theme } = look;
  const text = safe(user.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n')).trim();
  const line = shellLineIn(user);
  if (line !== undefined) return [textRow(look, theme.dim(`· the model sees ! ${oneLine(line, 200)}`), 2)];
  if (!isPersons(user)) return [textRow(look, theme.dim(`· ${oneLine(text, 300)}`), 2)];
  const lines = text.replaceAll('\t', '    ').split('\n');
  const more = lines.length - MAX_PROMPT;
  const shown = more > 0 ? [...lines.slice(0, MAX_PROMPT), `… ${more} more lines`] : lines;
  return shown.map((line, index) =>
    textRow(look, `${index === 0 ? theme.accent('›') : ' '} ${theme.bold(line)}`.trimEnd(), 2),
  );
};

const endRows = (stop: Parameters<typeof describeEnding>[0]['stop'], look: Look): readonly Row[] => {
  // A failed request was told by its own message.
  if (stop === 'done' || stop === 'error') return [];
  const said = describeEnding({ stop, text: '', turns: 0, duration: 0, durationApi: 0 });
  return [textRow(look, look.theme.warn(`■ ${said}`), 2)];
};

/** The rows of this moment: the unfinished line, then what runs and for how long. */
export const liveRows = (scene: Scene, look: Look, now: number): readonly Row[] => {
  const rest = scene.text === '' ? [] : finish(scene.markdown, look);
  const calls = runRows(look, scene.running, now);
  const apart = calls.length > 0 && (scene.last !== 'tool' || scene.text !== '') ? [blank] : [];
  return [...rest, ...apart, ...calls];
};
