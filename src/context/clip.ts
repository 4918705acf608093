/** A text's beginning and end, with a note of what lies between. It may be a little longer than `most`: by the note. */
export function clip(text: string, most: number, note = (left: number) => `[… ${left} characters left out …]`): string {
  if (text.length <= most) return text;
  const head = wholeLines(text.slice(0, Math.ceil(most * 0.6)), 'end');
  const tail = wholeLines(text.slice(text.length - Math.floor(most * 0.4)), 'start');
  return `${head}\n${note(text.length - head.length - tail.length)}\n${tail}`;
}

/** Without the line that the cut went through, unless that is most of the text. */
function wholeLines(text: string, cut: 'start' | 'end'): string {
  const at = cut === 'end' ? text.lastIndexOf('\n') : text.indexOf('\n');
  const rest = cut === 'end' ? text.slice(0, at) : text.slice(at + 1);
  return (at < 0 || rest.length < text.length / 2 ? text : rest).toWellFormed();
}
