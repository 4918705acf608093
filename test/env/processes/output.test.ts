import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutput } from '../../../src/env/processes/output.ts';
import { cleanText, firstBytes, lastBytes } from '../../../src/env/processes/text.ts';

const folder = mkdtempSync(join(tmpdir(), 'output-'));
let files = 0;
const open = () => createOutput(join(folder, `${++files}.txt`));

test('however it is cut into chunks, the text is the same and within the limit', () => {
  const lines = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), { maxLength: 40 });
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 50_000 }), (some, repeat, size) => {
      const bytes = Buffer.from(`${some.join('\n')}\n`.repeat(repeat));
      const [whole, chunked] = [open(), open()];
      whole.write(bytes);
      for (let at = 0; at < bytes.length; at += size) chunked.write(bytes.subarray(at, at + size));
      const text = chunked.text();
      expect(text.replace(/\S+\.txt/, '')).toBe(whole.text().replace(/\S+\.txt/, ''));
      expect(text.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
      const file = chunked.file();
      if (file) expect(readFileSync(file).equals(bytes)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('what is read piece by piece is all that was written', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z\n]{1,9000}$/), { maxLength: 20 }), (chunks) => {
      const output = open();
      let read = 0;
      let text = '';
      for (const chunk of chunks) {
        output.write(Buffer.from(chunk));
        text += output.text(read);
        read = output.total();
      }
      expect(text).toBe(chunks.join(''));
    }),
    { numRuns: 60 },
  );
});

test('a file that a reader asked for early is complete later', () => {
  const output = open();
  const bytes = Buffer.from('0123456789abcdef\n'.repeat(20_000));
  for (let at = 0; at < bytes.length; at += 45_000) {
    output.write(bytes.subarray(at, at + 45_000));
    output.text();
  }
  output.close();
  expect(readFileSync(output.file() ?? '').equals(bytes)).toBe(true);
});

test('cleaned text has no control characters, whatever comes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(cleanText(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
  expect(cleanText('\x1b]0;title\x07\x1b[31mred\x1b[0m \x1bP1\x1b\\N\bNA\bA\r\n')).toBe('red NA\n');
  expect(cleanText('a.txt\0b.txt\0')).toBe('a.txt␀b.txt␀');
});

test('a long line without a line end is cleaned in linear time', () => {
  expect(cleanText(`${'x'.repeat(500_000)}\ry`)).toBe('y');
  expect(cleanText('x'.repeat(500_000))).toHaveLength(500_000);
});

test('both ends of a text are cut between characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(60), (text, limit) => {
      const [first, last] = [firstBytes(text, limit), lastBytes(text, limit)];
      expect(text.startsWith(first) && text.endsWith(last)).toBe(true);
      expect(Buffer.byteLength(first)).toBeLessThanOrEqual(limit);
      expect(Buffer.byteLength(last)).toBeLessThanOrEqual(limit);
    }),
  );
});
