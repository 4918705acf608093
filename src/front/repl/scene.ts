import type { Assistant, Call, Event, Message, Result, User } from '../../core/types.ts';
import type { Seen } from '../../harness/types.ts';
import { describeEnding } from '../ending.ts';
import { factRows, noiseRows } from '../narrate.ts';
import { emptyMarkdown, feed, finish, type Markdown, markdownRows } from '../render/markdown.ts';
import { blank, type Row, textRow } from '../render/row.ts';
import { oneLine, safe } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { callRow, describeCall, resultRows } from '../render/tools.ts';
import { ticking } from '../render/units.ts';

/** What is in flux, as a fold of the events so far. What is settled has become rows and is not in here. */
export type Scene = {
  /** The reply that streams: its text, and how many rows of it were given out. */
  readonly text: string;
  readonly markdown: Markdown;
  readonly given: number;
  readonly doing: 'thinking' | 'writing' | string;
  readonly running: ReadonlyMap<string, Running>;
  /** The calls of the last reply, for those that never start. */
  readonly calls: readonly Call[];
  /** The kind of the last row: kinds are set apart by an empty line. */
  readonly last: Kind;
};

type Kind = 'user' | 'text' | 'tool' | 'note';
type Running = { readonly name: string; readonly show: string; readonly at: number; readonly progress: string };

export const emptyScene: Scene = {
  text: '',
  markdown: emptyMarkdown,
  given: 0,
  doing: 'working',
  running: new Map(),
  calls: [],
  last: 'note',
};

/** `drop` rows at the end are void, then `rows` follow. */
export type Step = { readonly scene: Scene; readonly drop: number; readonly rows: readonly Row[] };

/** One event further. Pure: the same events give the same rows. */
export const step = (scene: Scene, seen: Seen | Event, look: Look, now: number): Step => {
  if (!('live' in seen)) {
    if (seen.type === 'message') return stepMessage(scene, seen.message, look, now);
    const rows = seen.type === 'ended' ? endRows(seen.stop, look) : factRows(look, seen);
    return say(scene, 'note', rows);
  }
  switch (seen.live) {
    case 'text':
      return stepText(scene, seen.text, look);
    case 'thinking':
      return keep({ ...scene, doing: 'thinking' });
    case 'calling':
      return keep({ ...scene, doing: `preparing ${oneLine(seen.name, 40)}` });
    case 'retracted':
      return { scene: quiet(scene), drop: scene.given, rows: [] };
    case 'started':
      return keep({ ...scene, doing: 'working', running: started(scene, seen.call, seen.name, seen.show, now) });
    case 'progress':
      return keep(progress(scene, seen.call, lastLine(seen.text)));
    case 'child':
      return keep(progress(scene, seen.call, childLine(seen.event)));
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
  const start = scene.running.get(result.call);
  const running = new Map(scene.running);
  running.delete(result.call);
  const call = scene.calls.find(({ id }) => id === result.call);
  const head = callRow(look, result.name, start?.show ?? (call ? describeCall(call) : ''));
  return say({ ...scene, running }, 'tool', [head, ...resultRows(look, result, start && now - start.at)]);
};

const userRows = (user: User, look: Look): readonly Row[] => {
  const { theme } = look;
  const text = safe(user.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n')).trim();
  if (user.origin === 'harness') return [textRow(look, theme.dim(`· ${oneLine(text, 300)}`), 2)];
  const lines = text.replaceAll('\t', '    ').split('\n');
  const shown = lines.length > 40 ? [...lines.slice(0, 30), `… ${lines.length - 30} more lines`] : lines;
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

const started = (scene: Scene, call: string, name: string, show: string, at: number) =>
  new Map(scene.running).set(call, { name, show, at, progress: '' });

const progress = (scene: Scene, call: string, line: string): Scene => {
  const running = scene.running.get(call);
  if (running === undefined || line === '') return scene;
  return { ...scene, running: new Map(scene.running).set(call, { ...running, progress: line }) };
};

const lastLine = (text: string): string =>
  safe(text.replace(/\r(?!\n)/g, '\n'))
    .split('\n')
    .findLast((line) => line.trim() !== '') ?? '';

/** What a sub-agent does right now, however deep. */
const childLine = (event: Event): string => {
  if (!('live' in event)) return '';
  if (event.live === 'child') return childLine(event.event);
  return event.live === 'started' ? oneLine(`${event.name} ${event.show}`, 200) : '';
};

/** The rows of this moment: the unfinished line, then what runs and for how long. */
export const liveRows = (scene: Scene, look: Look, now: number): readonly Row[] => {
  const { theme } = look;
  const rest = scene.text === '' ? [] : finish(scene.markdown, look);
  const calls = [...scene.running.values()].flatMap(({ name, show, at, progress }) => [
    callRow(look, name, show, ` · ${ticking(now - at)}`),
    ...(progress === '' ? [] : [textRow(look, `  ${theme.dim(progress.replaceAll('\t', ' ').slice(0, 300))}`, 4)]),
  ]);
  const apart = calls.length > 0 && (scene.last !== 'tool' || scene.text !== '') ? [blank] : [];
  return [...rest, ...apart, ...calls];
};
