import { afterAll, expect, test } from 'vitest';
import { openBash } from '../support/bash.ts';
import { leftovers } from '../support/leftovers.ts';

const shell = openBash();
afterAll(shell.close);

/** The mode of the call, once it runs. */
const running = (what: string) => expect.poll(() => leftovers(shell.processes.mark).join()).toMatch(what);

test('C01 what runs goes on as a job when the person says so: neither the deadline nor a stop ends it', async () => {
  expect(shell.background()).toBe(false);
  const stop = new AbortController();
  const said = shell.bash('echo begun; sleep 311; echo over', { timeout_seconds: 1 }, stop.signal);
  await running('sleep 311');
  expect(shell.background()).toBe(true);
  const { text, failed } = await said;
  expect(text).toMatch(/^\[the user moved this to the background\]\n\[job 1 started \(pid \d+\)/);
  expect(failed).toBe(false);
  expect(shell.background()).toBe(false);
  stop.abort();
  expect((await shell.bash('wait', { job: '1', timeout_seconds: 1.5 })).text).toMatch(/^begun\n\[job 1 still runs/);
  const [job] = shell.jobs();
  expect(job).toMatchObject({ id: '1', command: 'echo begun; sleep 311; echo over' });
  // The person reads all of it, whatever the model has read.
  expect(job?.output()).toBe('begun\n');
  await job?.stop();
  expect(shell.jobs()[0]?.code).toBeGreaterThan(0);
  expect((await shell.bash('true')).text).toContain('[job 1 ended');
});

test('all that is waited for goes at once, and a call that was closed waits for nobody', async () => {
  const both = [shell.bash('sleep 312'), shell.bash('sleep 313')];
  await running('sleep 312');
  await running('sleep 313');
  shell.background();
  for (const { text } of await Promise.all(both)) expect(text).toContain('moved this to the background');
  const prepared = await shell.tool.prepare({ command: 'echo begun; sleep 314' });
  if (typeof prepared === 'string') throw new Error(prepared);
  const events = prepared.run({ call: 'c', signal: new AbortController().signal });
  expect(await events.next()).toMatchObject({ value: { live: 'progress', text: 'begun\n' } });
  await events.return({ content: [] });
  expect(shell.background()).toBe(false);
});
