import { expect, test } from 'vitest';
import { PROGRAMS } from './generate.ts';
import { createRecorder } from './record.ts';
import { checkLines, realProgram } from './soundness.ts';

test('the recorder sees what a line starts and writes', async () => {
  const recorder = createRecorder(PROGRAMS, realProgram);
  const lines = ['touch pwned', 'env A=1 timeout 5 rm -f x', 'PATH=.; ls', 'echo x > new', 'true', '$(cat)'];
  const { ran, changed } = await recorder.run(lines);
  recorder.remove();
  expect(changed).toEqual(['new']);
  expect(ran.map(({ line, argv }) => [line, ...argv])).toEqual([
    [0, 'touch', 'pwned'],
    [1, 'env', 'A=1', 'timeout', '5', 'rm', '-f', 'x'],
    [1, 'timeout', '5', 'rm', '-f', 'x'],
    [1, 'rm', '-f', 'x'],
    [2, 'POISON'],
    [5, 'cat'],
    [5, 'touch', 'pwned', '-delete', recorder.folder],
  ]);
});

test('what is allowed starts only what is allowed, and writes nothing: 2,000 generated lines', {
  timeout: 120_000,
}, async () => {
  const { total, allowed, started, violations } = await checkLines(20_260_101, 2_000);
  expect(violations).toEqual([]);
  expect(total).toBe(2_000);
  // Asking always would pass everything else.
  expect(allowed / total).toBeGreaterThanOrEqual(0.3);
  expect(started).toBeGreaterThan(allowed / 2);
});
