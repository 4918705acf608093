/** What a compaction keeps word for word, without asking a model: prompts, the todo list, the files touched. */
import { field } from '../core/json.ts';
import type { Call, Logged } from '../core/types.ts';
import { clip } from './clip.ts';
import { isPrompt } from './items.ts';
import { todoText } from './todo.ts';
import { contentText } from './transcript.ts';

/** Of the room: the first prompt and the last; the list of files; the todo list. Other prompts get what is left. */
const SHARE = { prompt: 0.35, files: 0.15, todo: 0.15 };
/** Characters of a prompt that is neither the first nor the last. */
const BRIEF = 600;

/** `entries`: what is cut off. `path`: all, for what is true now. `room`: characters. */
export function keepsakes(entries: readonly Logged[], path: readonly Logged[], room: number): string {
  const todo = clip(todoText(path), room * SHARE.todo);
  const sections = [
    ['What the person said', promptsOf(entries, room)],
    ['Todo list', todo],
    ['Files', filesOf(entries, room * SHARE.files)],
  ];
  return sections.flatMap(([title, text]) => (text ? [`## ${title}\n\n${text}`] : [])).join('\n\n');
}

/** The first and the last whole where they fit, those between newest first. */
function promptsOf(entries: readonly Logged[], room: number): string {
  const said = entries.flatMap((entry) =>
    isPrompt(entry) && entry.type === 'message' && entry.message.role === 'user'
      ? [contentText(entry.message.content)]
      : [],
  );
  const last = said.length - 1;
  const ends = [...new Set([0, last])].map((i) => clip(said[i] ?? '', room * SHARE.prompt));
  let left = room - ends.reduce((sum, text) => sum + text.length, 0);
  const between: string[] = [];
  for (let i = last - 1; i > 0; i--) {
    const text = clip(said[i] ?? '', BRIEF);
    left -= text.length;
    if (left < 0) {
      between.unshift(`[${i} more prompts left out]`);
      break;
    }
    between.unshift(text);
  }
  return said.length === 0 ? '' : [ends[0], ...between, ...ends.slice(1)].join('\n\n---\n\n');
}

/** Newest first within each kind. What changed a file is known by its name: it takes a path and writes or edits. */
function filesOf(entries: readonly Logged[], room: number): string {
  const failed = new Set<string>();
  const calls: Call[] = [];
  for (const entry of entries) {
    if (entry.type !== 'message' || entry.message.role === 'user') continue;
    if (entry.message.role === 'assistant') calls.push(...entry.message.content.filter((part) => part.type === 'call'));
    else if (entry.message.failed) failed.add(entry.message.call);
  }
  const changed = new Set<string>();
  const read = new Set<string>();
  for (const { id, name, input } of calls.toReversed()) {
    const path = pathIn(input);
    if (path !== undefined && !failed.has(id)) (/write|edit|patch/.test(name) ? changed : read).add(path);
  }
  return [
    ...listed('changed', [...changed], room * 0.7),
    ...listed(
      'read',
      [...read].filter((path) => !changed.has(path)),
      room * 0.3,
    ),
  ].join('\n');
}

function pathIn(input: Call['input']): string | undefined {
  const path = field(input, 'path');
  return typeof path === 'string' ? path : undefined;
}

function listed(what: string, paths: readonly string[], room: number): readonly string[] {
  const names: string[] = [];
  let left = room;
  for (const path of paths) {
    left -= path.length + 2;
    if (left >= 0) names.push(path);
  }
  const more = paths.length > names.length ? ` and ${paths.length - names.length} more` : '';
  return paths.length > 0 ? [`${what}: ${names.join(', ')}${more}`] : [];
}
