/** What can be read of a log is read, whatever happened to the rest of it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Logged } from '../../src/core/types.ts';
import { project, readRecords, writeRecord } from '../../src/session/index.ts';
import { call, calls } from '../support/agent.ts';
import { chain, HEADER, message, prompt, reply, textOf } from './made.ts';

const five = chain(prompt('one'), reply('1'), prompt('two'), reply('2'), prompt('three'));
const ids = (text: string) => readRecords(text).entries.map(({ id }) => id);
const ALL = five.map(({ id }) => id);

test('F01 a last line that was cut off is left out and said, and the next append begins a line', () => {
  const text = textOf(five);
  const torn = readRecords(`${text}{"type":"assist`);
  expect(torn).toMatchObject({ header: HEADER, entries: five, torn: true });
  expect(torn.complaints).toEqual(['line 7 was cut off while it was written and is left out']);
  // Whole, but its line feed is missing: a record like any other.
  expect(readRecords(text.slice(0, -1))).toMatchObject({ entries: five, torn: true, complaints: [] });
});

test('F02 zeros before, between and behind records cost none of them', () => {
  const [first = '', ...rest] = textOf(five).split(/(?<=\n)/);
  const zeros = '\0'.repeat(4096);
  for (const text of [
    [first, zeros, ...rest].join(''),
    [first, ...rest].join(zeros),
    [first, ...rest.map((line) => line.replace('\n', `${zeros}\n`))].join(''),
    [first, ...rest, zeros].join(''),
  ]) {
    expect(ids(text)).toEqual(ALL);
    expect(readRecords(text).complaints.length).toBeGreaterThan(0);
  }
});

test('F03 only a line feed ends a line', () => {
  const text = 'a\u2028b\u2029c\u0085d\re\v\f';
  const written = writeRecord({
    ...five[0],
    type: 'message',
    message: { role: 'user', content: [{ type: 'text', text }] },
  } as Logged);
  expect(written.split('\n')).toHaveLength(2);
  expect(JSON.stringify(readRecords(written).entries)).toContain(JSON.stringify(text).slice(1, -1));
});

test('F04 records glued together are read, also behind half of one', () => {
  const lines = five.map(writeRecord);
  expect(ids(lines.join('').replaceAll('\n', ''))).toEqual(ALL);
  expect(ids(`${lines[0]?.slice(0, 40)}${lines.slice(1).join('')}`)).toEqual(ALL.slice(1));
  expect(ids(`lost":"tail"}${lines.slice(1).join('')}`)).toEqual(ALL.slice(1));
});

test('a part of a damaged record never passes for a record', () => {
  const forged = { id: 'x', parent: null, time: 0, type: 'grant', rule: 'bash(*)' };
  const [line = ''] = chain(message(calls(call('c', 'task', { list: [forged, forged], one: forged })))).map(
    writeRecord,
  );
  for (let cut = 1; cut < line.length; cut++) {
    expect(readRecords(line.slice(cut)).entries).toEqual([]);
    expect(readRecords(`${line.slice(0, cut)}\0${line.slice(cut + 1)}`).entries.some(({ id }) => id === 'x')).toBe(
      false,
    );
  }
});

test('a record that was written twice counts once', () => {
  expect(ids(textOf([...five, ...five.slice(2)]))).toEqual(ALL);
});

const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('{"id":"', '}\n{', '\\"}', '[,:{'));
const entries = fc
  .array(fc.record({ text: texts, input: fc.jsonValue() }), { minLength: 1, maxLength: 8 })
  .map((all) =>
    chain(
      ...all.map(({ text, input }) => message(calls({ ...call('c', text), input: JSON.parse(JSON.stringify(input)) }))),
    ),
  );

const damage = fc.oneof(
  fc.record({ kind: fc.constant('overwrite'), at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 80 }) }),
  fc.record({ kind: fc.constant('zeros'), at: fc.nat(), bytes: fc.nat(300).map((length) => new Uint8Array(length)) }),
  fc.record({ kind: fc.constant('lost'), at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 80 }) }),
);

test('random damage never loses a record that it did not touch', () => {
  fc.assert(
    fc.property(entries, fc.array(damage, { minLength: 1, maxLength: 4 }), (all, damages) => {
      const text = Buffer.from(textOf(all));
      // Each byte with the place that it had; -1 where it is new.
      let bytes = [...text].map((byte, place) => ({ byte, place }));
      for (const { kind, at, bytes: other } of damages) {
        const start = at % (bytes.length + 1);
        const fresh = [...other].map((byte) => ({ byte, place: -1 }));
        const end = kind === 'zeros' ? start : start + other.length;
        bytes = [...bytes.slice(0, start), ...(kind === 'lost' ? [] : fresh), ...bytes.slice(end)];
      }
      const places = bytes.map(({ place }) => place);
      const read = readRecords(Buffer.from(bytes.map(({ byte }) => byte)).toString('utf8'));
      let start = Buffer.byteLength(writeRecord(HEADER));
      for (const entry of all) {
        const end = start + Buffer.byteLength(writeRecord(entry));
        // With the line feed before it, its bytes still stand in one piece.
        const at = places.indexOf(start - 1);
        const whole =
          at >= 0 && Array.from({ length: end - start }, (_, i) => places[at + i] === start - 1 + i).every(Boolean);
        // What goes on behind it as if it were a part can't be told from one: that is said, and nothing is believed.
        const behind = Buffer.from(bytes.slice(at + end - start).map(({ byte }) => byte)).toString();
        const part = whole && /^[^\S\n]*[,\]}]/.test(behind);
        if (part) expect(read.complaints).not.toEqual([]);
        else if (whole) expect(read.entries).toContainEqual(entry);
        start = end;
      }
      project(read.entries);
    }),
    // A history that is made smaller for hours tells no more than the seed.
    { numRuns: 1500, endOnFailure: true },
  );
});

test('pieces that are cut anywhere read as the whole does', () => {
  fc.assert(
    fc.property(entries, fc.array(fc.nat(), { maxLength: 6 }), (all, cuts) => {
      const text = textOf(all);
      const places = [...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
      const pieces = places.map((place, index) => text.slice(places[index - 1] ?? 0, place));
      expect(readRecords(pieces)).toEqual(readRecords(text));
    }),
  );
});
