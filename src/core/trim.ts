/** What a view shows in the place of what is old and large. The log keeps it, and each call keeps its result. */
import type { Content, Message } from './types.ts';

/** Characters of output that are not worth a line in their place. */
const SMALL = 600;
/** Characters that stay of an error's first line, and of each note at an output's end. */
const SAID = 100;
const NOTE = 150;

/** Trimming what is trimmed changes nothing; what a model said is never touched. */
export function trimmed(message: Message, what: 'outputs' | 'images'): Message {
  if (message.role === 'assistant') return message;
  const images = message.content.filter(({ type }) => type === 'image').length;
  if (what === 'images') return images === 0 ? message : { ...message, content: message.content.map(withoutImage) };
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (message.role !== 'result' || (images === 0 && text.length <= SMALL)) return message;
  return { ...message, content: [{ type: 'text', text: stub(text, images, message.failed) }] };
}

const withoutImage = (part: Content): Content =>
  part.type === 'text' ? part : { type: 'text', text: '[Image left out to save room; read it again if you need it.]' };

function stub(text: string, images: number, failed: boolean): string {
  const lines = text.trimEnd().split('\n');
  const first = failed ? (lines[0] ?? '').slice(0, SAID).toWellFormed() : '';
  const what = [`${text.length} characters of output`, ...(images > 0 ? [`${images} image(s)`] : [])].join(' and ');
  const left = `[${what} left out to save room. If you need it, make the call again where that is safe, or read a part.]`;
  return [...(first === '' ? [] : [first]), left, ...notesOf(lines.slice(1))].join('\n');
}

/** The lines in brackets at an output's end say how it ended and where the rest is. */
function notesOf(lines: readonly string[]): readonly string[] {
  const from = lines.findLastIndex((line) => !/^\[.*\]$/.test(line)) + 1;
  const notes = lines.slice(from).filter((line) => line.length <= NOTE);
  return notes.slice(-2);
}
