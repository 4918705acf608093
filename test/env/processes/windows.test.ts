import { expect, test } from 'vitest';
import { shellPath, windowsKill, writesToNul } from '../../../src/env/processes/windows.ts';

test.each([
  ['echo x > nul', true],
  ['echo x >nul 2>&1', true],
  ['dir 2>NUL', true],
  ['a >> nul; b', true],
  ['(a &> nul)', true],
  ['echo x > /dev/null', false],
  ['echo x > null', false],
  ['echo x > nul.txt', false],
  ['grep nul file', false],
])('C26 %s writes to nul: %s', (command, expected) => {
  expect(writesToNul(command)).toBe(expected);
});

test.each([
  ['C:\\Users\\me\\a b', '/mnt/c/Users/me/a b', '/c/Users/me/a b'],
  ['d:/x', '/mnt/d/x', '/d/x'],
  ['/home/me', '/home/me', '/home/me'],
])('C26 %s has one spelling for each shell', (path, wsl, msys) => {
  expect(shellPath(path, 'wsl')).toBe(wsl);
  expect(shellPath(path, 'msys')).toBe(msys);
});

test('C26 the kill command goes through no shell', () => {
  expect(windowsKill(42)).toEqual(['taskkill.exe', '/PID', '42', '/T', '/F']);
});
