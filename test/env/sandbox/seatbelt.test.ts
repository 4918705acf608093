import fc from 'fast-check';
import { expect, test } from 'vitest';
import { casePattern, type Places, seatbeltProfile } from '../../../src/env/sandbox/seatbelt.ts';

/** These are tests of a text: what macOS makes of it, its self-test says there. */
const PLACES: Places = {
  write: ['/Users/a/app', '/private/tmp/s'],
  protect: ['/Users/a/app/.git/hooks'],
  pins: ['/Users/a/app/.git'],
  hide: ['/Users/a/.ssh', '/Users/a/Library/state'],
  read: ['/Users/a/Library/state/output'],
  doors: ['/Users/a/Library/state/run/door-1'],
};
const profile = (more: Partial<Places> = {}, options = {}) =>
  seatbeltProfile({ ...PLACES, ...more }, { network: false, readonly: false, ...options });

test('what no line allows is denied', () => {
  expect(profile().split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  expect(profile()).not.toContain('(allow default)');
});

test('the later line wins: writes, then what is hidden, then what is protected', () => {
  const text = profile();
  const order = ['"/Users/a/app"', '"/Users/a/.ssh"', '"/Users/a/Library/state/output"', '[hH][oO][oO][kK][sS]'];
  const places = order.map((part) => text.indexOf(part));
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places.toSorted((a, b) => a - b)).toEqual(places);
  expect(text).toContain('(deny file-write-unlink\n  (literal "/Users/a/app/.git"))');
});

test('network is off unless it is opened, sockets of others are closed even then, the door is open', () => {
  expect(profile()).not.toContain('(allow network*)');
  const open = profile({}, { network: true });
  expect(open.indexOf('(deny network-outbound (remote unix-socket))')).toBeGreaterThan(
    open.indexOf('(allow network*)'),
  );
  expect(profile()).toContain('(remote unix-socket (subpath "/Users/a/Library/state/run/door-1"))');
});

test('plan mode allows no write but to devices', () => {
  const writes = profile({}, { readonly: true }).match(/\(allow file-write\*[^)]*\)/g) ?? [];
  expect(writes).toHaveLength(1);
  expect(writes[0]).toContain('/dev/null');
});

test('a path can not end its string or its line of the profile', () => {
  const text = profile({ write: ['/w/") (allow default) ("', '/w/\\'] });
  expect(text).toContain('(subpath "/w/\\") (allow default) (\\"")');
  expect(text).toContain('(subpath "/w/\\\\")');
});

test('a protected name is matched in any case, and at least itself whatever it holds', () => {
  expect('/A/.GIT/Hooks').toMatch(new RegExp(`^${casePattern('/a/.git/hooks')}$`));
  expect('/a/xgit/hooks').not.toMatch(new RegExp(`^${casePattern('/a/.git/hooks')}$`));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
      const pattern = casePattern(`/w/${name}`);
      expect(pattern).toMatch(/^[\x20-\x7e]*$/);
      expect(pattern).not.toContain('"');
      expect(`/w/${name}`).toMatch(new RegExp(`^${pattern}$`, 's'));
    }),
  );
});
