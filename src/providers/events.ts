import { createParser } from 'eventsource-parser';
import { isObject, type JsonObject } from '../core/json.ts';
import { Beyond } from './errors.ts';
import { isDeeper, tryJson } from './json.ts';

/** What a 200 turned out to be: an event stream, one JSON value, a web page, or nothing so far. */
export type Kind = 'stream' | 'json' | 'page' | 'blank';

export type Events = {
  /** Takes decoded text, in pieces of any size. */
  readonly feed: (text: string) => void;
  /** The text is at its end: a last event may lack its blank line. */
  readonly end: () => void;
  readonly kind: () => Kind;
  /** The text of what is no stream, bounded. */
  readonly body: () => string;
  /** What is wrong with an event's data, '' where nothing is. */
  readonly bad: () => string;
};

const MAX_BODY = 32 * 1024 * 1024;

/** Characters of one event; the parser keeps them until its end has come. */
const MAX_EVENT = 16 * 1024 * 1024;

/**
 * Server-sent events as JSON objects. `[DONE]` becomes `{type: '[DONE]'}`; blank data, comments and what is no object
 * are passed over; several objects glued together are taken apart.
 */
export function createEvents(step: (event: JsonObject) => void): Events {
  let kind: Kind = 'blank';
  let body = '';
  let bad = '';
  let ending = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new Beyond('one event of it is larger than 16 MB.');
    },
    onEvent: ({ data, event }) => {
      const first = tryJson(data);
      if (first !== undefined) return take(first, event);
      const trimmed = data.trim();
      if (trimmed === '[DONE]') return step({ type: '[DONE]' });
      const parts = trimmed === '' ? [] : splitJson(trimmed);
      // A cut in the last event is the cut stream's story, told elsewhere.
      if (parts === undefined) bad ||= ending ? '' : complain(trimmed);
      else for (const part of parts) take(part, event);
    },
  });
  const take = (value: ReturnType<typeof tryJson>, name: string | undefined) => {
    if (!isObject(value)) return;
    if (name === 'error' && value['type'] === undefined && value['error'] === undefined)
      step({ type: 'error', error: value });
    else step(value);
  };
  return {
    feed: (text) => {
      if (kind === 'blank') kind = sniff(text);
      if (kind === 'stream') parser.feed(text);
      else if (body.length < MAX_BODY) body += text;
    },
    end: () => {
      ending = true;
      if (kind === 'stream') parser.feed('\n\n');
    },
    kind: () => kind,
    body: () => body,
    bad: () => bad,
  };
}

function sniff(text: string): Kind {
  const first = text.trimStart().charAt(0);
  if (first === '') return 'blank';
  return first === '<' ? 'page' : first === '{' || first === '[' ? 'json' : 'stream';
}

const complain = (data: string): string =>
  `an event is ${isDeeper(data) ? 'nested too deeply' : 'not JSON'}: ${data.slice(0, 120)}`;

/** The values of `{…}{…}`, or undefined where it is something else. */
function splitJson(source: string): ReturnType<typeof tryJson>[] | undefined {
  const found: ReturnType<typeof tryJson>[] = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) {
      found.push(tryJson(source.slice(start, at + 1)));
      start = at + 1;
    }
  }
  return depth === 0 && source.slice(start).trim() === '' && !found.includes(undefined) ? found : undefined;
}
