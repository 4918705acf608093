/**
 * For models that can't call tools: the tools are described to them, and their calls are read from their text. Only for
 * models of which a user says so, and strictly: a call stands at the end of a reply, for all of it that could be one.
 */

import { isObject, tryJson } from '../core/json.ts';
import { textOf } from '../core/messages.ts';
import type { Assistant, Call, Content, Json, Message, Model, Request, User } from '../core/types.ts';
import { newCallId } from './ids.ts';
import intro from './text-calls.md';

export const textCallsPrompt: string = intro;

/** Decorates a model: what it is sent holds no tools, what it returns holds calls. */
export const withTextCalls = (model: Model): Model =>
  async function* (request, signal) {
    const reply = yield* model(describeTools(request), signal);
    // A reply that was cut, or failed, asks for nothing.
    if (reply.stop !== 'done' || request.tools.length === 0) return reply;
    const { text, calls } = callsIn(reply, request);
    if (calls.length === 0) return reply;
    const thinking = reply.content.filter(({ type }) => type === 'thinking');
    const content: Assistant['content'] = [
      ...thinking,
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls,
    ];
    // Its own form says nothing of calls, so it can't go back as it came.
    const { raw: _, ...rest } = reply;
    return { ...rest, content, stop: 'calls' };
  };

/** For all other models: what looks like a call is shown as what it is, text, and a person is told what can be done. */
export const withTextCallHint = (model: Model): Model =>
  async function* (request, signal) {
    const reply = yield* model(request, signal);
    const known = request.tools.map(({ name }) => name);
    if (reply.stop === 'done' && callsIn(reply, request).calls.some(({ name }) => known.includes(name))) {
      yield {
        live: 'notice',
        text: `${reply.model} wrote a tool call as text, so nothing was run. If it always does, set "textCalls": true for it under "models" in settings.`,
      };
    }
    return reply;
  };

function callsIn(reply: Assistant, { tools }: Request): TextCalls {
  const names = tools.map(({ name }) => name);
  return readTextCalls(textOf(reply.content), names);
}

function describeTools({ system, tools, messages }: Request): Request {
  const schemas = tools.map(({ name, description, input }) => `${name}: ${description}\n${JSON.stringify(input)}`);
  const described = tools.length === 0 ? system : [system, intro.trim(), ...schemas].join('\n\n');
  return { system: described, tools: [], messages: messages.map(asText) };
}

/** Calls and results as the model is used to see them: in its own words, and in a message. */
function asText(message: Message): User | Assistant {
  if (message.role === 'user') return message;
  if (message.role === 'result') {
    const open: Content = { type: 'text', text: `<tool_result name="${message.name}">` };
    return { role: 'user', content: [open, ...message.content, { type: 'text', text: '</tool_result>' }] };
  }
  if (!message.content.some(({ type }) => type === 'call')) return message;
  const { raw: _, ...rest } = message;
  return {
    ...rest,
    content: message.content.map((part) => (part.type === 'call' ? { type: 'text', text: show(part) } : part)),
  };
}

const show = ({ name, input }: Call): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;

export type TextCalls = { readonly text: string; readonly calls: readonly Call[] };

/**
 * The calls in a finished reply. `<tool_call>` blocks may follow prose, on lines of their own; JSON in a fence, bare JSON
 * and `functions.name {…}` count only where they are the whole reply. What is quoted, stands in a code block, or has
 * words after it, is an example.
 */
export function readTextCalls(reply: string, names: readonly string[]): TextCalls {
  const said = reply.trim();
  return readTags(said) ?? readWhole(said, names) ?? { text: reply, calls: [] };
}

const TAGS =
  /(?:^|\n)<(tool_call|function_call)>[ \t]*\n?((?:(?!<\/?(?:tool_call|function_call)>)[\s\S])*?)\n?[ \t]*<\/\1>\s*$/;

/** Blocks at the end, the last one first. */
function readTags(said: string): TextCalls | undefined {
  const calls: Call[] = [];
  let text = said;
  for (let found = TAGS.exec(text); found; found = TAGS.exec(text)) {
    if (isInCode(text.slice(0, found.index))) break;
    calls.unshift(readTagged(found[2] ?? ''));
    text = text.slice(0, found.index).trimEnd();
  }
  return calls.length > 0 ? { text, calls } : undefined;
}

/** A fence stands open there. */
const isInCode = (before: string): boolean => (before.match(/^ {0,3}(```|~~~)/gm) ?? []).length % 2 === 1;

/** Whoever writes the tag means a call: what is wrong with it is answered. */
function readTagged(inner: string): Call {
  const json = inner.replace(/^\s*```(?:json)?\s*\n|\n\s*```\s*$/g, '').trim();
  const value = tryJson(json);
  const asked = value === undefined ? undefined : askedIn(value);
  if (asked) return made(asked.name, asked.input);
  const name = /"name"\s*:\s*"([\w.-]+)"/.exec(json)?.[1] ?? 'tool_call';
  return { ...made(name, {}), broken: 'it is not JSON of the form {"name": …, "arguments": {…}}' };
}

const FENCED = /^```(?:json|tool_call|tool_code)?[ \t]*\n([\s\S]*?)\n```$/;
const NAMED = /^(?:to=)?functions\.([\w-]+)(?::\d+)?[ \t]*\(?[ \t]*\n?([\s\S]*?)\)?$/;

function readWhole(said: string, names: readonly string[]): TextCalls | undefined {
  const [, name = '', args = ''] = NAMED.exec(said) ?? [];
  const value =
    name === '' ? tryJson(FENCED.exec(said)?.[1] ?? said) : { name, arguments: tryJson(args.trim()) ?? null };
  const list = Array.isArray(value) ? value : [value];
  const asked = list.map((one) => (one === undefined ? undefined : askedIn(one)));
  // A whole reply of this form is meant as a call even where the name is wrong: the answer lists the right ones.
  const isMeant = ({ name, input }: Asked) => names.includes(name) || (list.length === 1 && takesCommand(input));
  const calls = asked.flatMap((one) => (one && isMeant(one) ? [made(one.name, one.input)] : []));
  return calls.length > 0 && calls.length === list.length ? { text: '', calls } : undefined;
}

/** What only a call of the shell looks like. */
const takesCommand = (input: Json): boolean => isObject(input) && typeof input['command'] === 'string';

type Asked = { readonly name: string; readonly input: Json };

/** An object with a name and arguments, and nothing else. Arguments may have been encoded twice. */
function askedIn(value: Json): Asked | undefined {
  if (!isObject(value)) return undefined;
  const { name, ...rest } = value;
  const [key = '', ...more] = Object.keys(rest);
  if (typeof name !== 'string' || more.length > 0 || !['arguments', 'parameters', 'input'].includes(key))
    return undefined;
  const given = rest[key];
  const input = typeof given === 'string' ? tryJson(given) : given;
  if (!isObject(input)) return undefined;
  return { name: name.replace(/^functions\./, ''), input };
}

const made = (name: string, input: Json): Call => ({ type: 'call', id: newCallId(), vendorId: '', name, input });
