import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode } from '../../../src/env/files/index.ts';
import { applyEdits } from '../../../src/tools/edits.ts';

const line = fc.stringMatching(/^[ -~äöé€“日😀]{0,12}$/u);
const end = fc.constantFrom('\n', '\r\n', '\r');
const text = fc
  .tuple(fc.array(fc.tuple(line, end), { maxLength: 12 }), line)
  .map(([lines, last]) => lines.flat().join('') + last);

/** A file in each encoding that we know, made byte by byte and not with our own encoder. */
const file: fc.Arbitrary<Buffer> = fc.oneof(
  text.map((content) => Buffer.from(content, 'utf8')),
  text.map((content) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(content, 'utf8')])),
  text.map((content) => Buffer.from(`\ufeff${content}`, 'utf16le')),
  text.map((content) => Buffer.from(`\ufeff${content}`, 'utf16le').swap16()),
  text.map((content) => Buffer.from(content, 'latin1')),
  fc
    .tuple(text, fc.uint8Array({ maxLength: 20 }), text)
    .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part)))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

test('what is decoded and encoded again is the same bytes, whatever they are', () => {
  fc.assert(
    fc.property(file, (bytes) => {
      const decoded = decode(bytes);
      expect(encode(decoded.text, decoded)).toEqual(bytes);
    }),
    { numRuns: 2000 },
  );
});

test('each of the 256 bytes survives as Latin-1', () => {
  const bytes = Buffer.from([...Array(256).keys()].flatMap((byte) => [byte, 0xff]));
  expect(decode(bytes).encoding).toBe('Latin-1');
  expect(encode(decode(bytes).text, decode(bytes))).toEqual(bytes);
  expect(decode(Buffer.from([0x80, 0x20, 0xe9])).text).toBe('€ é');
});

test('all bytes outside the edit are unchanged, in every encoding', () => {
  fc.assert(
    fc.property(
      file,
      fc.nat(),
      fc.integer({ min: 1, max: 20 }),
      fc.stringMatching(/^[ -~\n]{0,12}$/),
      (bytes, at, length, wanted) => {
        const decoded = decode(bytes);
        const chars = [...decoded.text];
        const from = at % (chars.length + 1);
        const old = chars.slice(from, from + length).join('');
        const edited = applyEdits(decoded.text, [{ old, new: wanted }]);
        if ('problem' in edited) return;
        const start = decoded.text.indexOf(old);
        const after = encode(edited.text, decoded);
        const head = encode(decoded.text.slice(0, start), { ...decoded, tail: Buffer.alloc(0) });
        const tail = Buffer.concat([
          encode(decoded.text.slice(start + old.length), { ...decoded, bom: Buffer.alloc(0) }),
        ]);
        expect(after.subarray(0, head.length)).toEqual(head);
        expect(bytes.subarray(0, head.length)).toEqual(head);
        expect(after.subarray(after.length - tail.length)).toEqual(tail);
        expect(bytes.subarray(bytes.length - tail.length)).toEqual(tail);
        expect(after.length).toBeGreaterThanOrEqual(head.length + tail.length);
      },
    ),
    { numRuns: 2000 },
  );
});

test('lines between edits keep their ends when the model sends LF for everything', () => {
  const lines = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{0,5}$/), fc.constantFrom('\n', '\r\n')), {
    minLength: 3,
    maxLength: 15,
  });
  fc.assert(
    fc.property(lines, fc.nat(), fc.integer({ min: 1, max: 3 }), (made, at, count) => {
      const rows = made.map(([word, ending], index) => `${index}:${word}${ending}`);
      const from = at % rows.length;
      const old = rows
        .slice(from, from + count)
        .join('')
        .replaceAll('\r\n', '\n');
      const edited = applyEdits(rows.join(''), [{ old, new: old.toUpperCase() + '!' }]);
      // Digits before the number can make the place ambiguous.
      if ('problem' in edited) return;
      const expected = rows.map((row, index) => (index >= from && index < from + count ? row.toUpperCase() : row));
      expected.splice(from + rows.slice(from, from + count).length, 0, '!');
      expect(edited.text).toBe(expected.join(''));
    }),
    { numRuns: 1000 },
  );
});
