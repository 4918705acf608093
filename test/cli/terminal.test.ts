/** What the interactive mode can do with a real session: commands, keys and the status line, on the real program. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Asked, Scenario } from '../../src/testing/index.ts';
import { chain, prompt, reply } from '../session/made.ts';
import { has } from '../support/has.ts';
import { it, openRein } from '../support/program.ts';
import { opened, putSession } from '../support/put-session.ts';
import { bash, lastSaid, resultsOf } from '../support/rein.ts';

/** For each prompt that holds the word: these calls, one a round, then a word. */
const does =
  (calls: Readonly<Record<string, readonly { name: string; input: object }[]>>): Scenario =>
  (asked: Asked) => {
    const said = lastSaid(asked);
    const [, steps = []] = Object.entries(calls).find(([word]) => asked.prompt.includes(word)) ?? [];
    const next = steps[asked.rounds.length];
    return next
      ? { calls: [{ name: next.name, input: JSON.parse(JSON.stringify(next.input)) }] }
      : { text: `Heard ${said.length} letters: ${said.slice(-60)}.` };
  };

const edits = { name: 'write_file', input: { path: 'b.txt', content: 'two\n' } };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('issue 4.5 the status line says when tests are older than edits, and stops when they ran', async () => {
  const tests = bash('node --test');
  const pty = await openRein(does({ check: [tests], change: [edits] }));
  pty.send('check it');
  await pty.until('Heard 8 letters');
  pty.send('change it please');
  await pty.until('Heard 16 letters');
  await pty.until('tests older than edits');
  pty.send('check it again');
  await pty.until('Heard 14 letters');
  await pty.until((screen) => !screen.includes('tests older'));
});

it('! shows a line to the model with the next prompt, without asking it, and hides what is secret; !! does not', async () => {
  const pty = await openRein(does({}));
  pty.send('!echo "key: $ANTHROPIC_API_KEY"; exit 3');
  await pty.until(/✗ ! echo .* exit 3[\s\S]*key: scripted/);
  pty.send('!!echo between us');
  await pty.until(/✓ !! echo between us.*\n {2}between us/);
  expect(pty.server?.requests).toHaveLength(0);
  pty.send('what was that');
  await pty.until('Heard');
  const said = pty.server?.requests[0]?.asked?.messages.map((message) => message.text).join('\n') ?? '';
  expect(said).toMatch(
    /\$ echo "key: \$ANTHROPIC_API_KEY"; exit 3\nkey: \[secret ANTHROPIC_API_KEY\]\n\[exit code: 3\]/,
  );
  expect(said).not.toContain('between us');
  expect(JSON.stringify(pty.logs())).not.toMatch(/key: scripted|between us/);
});

it('a ! line that ends while the model works is told it at the next step, and Esc stops one', async () => {
  const pty = await openRein(does({ slowly: [bash('sleep 1.5')] }));
  pty.send('slowly');
  await pty.until(/● bash sleep/);
  pty.send('!echo meanwhile');
  await pty.until('✓ ! echo meanwhile');
  await pty.until('[exit code: 0].');
  expect(pty.server?.requests).toHaveLength(2);
  expect(pty.server?.requests[1]?.asked?.messages.at(-1)?.text).toMatch(/echo meanwhile\nmeanwhile/);
  pty.send('!sleep 60');
  await pty.until(/● ! sleep 60/);
  pty.keys('Escape');
  await pty.until('✗ ! sleep 60 · stopped');
});

it('/jobs shows what runs behind and ends it; Ctrl+B sends what runs there', async () => {
  const pty = await openRein(
    does({ behind: [bash('echo up; sleep 60', { background: true })], before: [bash('echo begun; sleep 61')] }),
  );
  pty.send('behind');
  await pty.until('Heard 6 letters');
  await pty.until('1 job');
  pty.send('before');
  await pty.until(/● bash echo begun[\s\S]*\n {2}begun/);
  pty.keys('C-b');
  await pty.until(/✓ bash echo begun; sleep 61/);
  await pty.until('Heard 6 letters: before');
  await pty.until('2 jobs');
  const said = pty.server?.requests.at(-1)?.asked?.rounds[0]?.[0]?.text;
  expect(said).toMatch(/^\[the user moved this to the background\]\n\[job 2 started \(pid \d+\)/);
  pty.send('/jobs');
  await pty.until(/› echo up; sleep 60[\s\S]*\nup\n/);
  pty.keys('Enter');
  await pty.until('yes, stop it');
  pty.keys('Down', 'Enter');
  await pty.until('Job 1 was stopped');
  await pty.until(/ 1 job /);
  pty.keys('C-c');
  pty.keys('C-c');
  await pty.ended();
});

it('the end of a job is seen at once, and told to the model once, with its next command', async () => {
  const job = bash('until [ -e go ]; do sleep 0.05; done; exit 3', { background: true });
  const pty = await openRein(does({ behind: [job], more: [bash('echo one'), bash('echo two')] }));
  pty.send('behind');
  await pty.until(/Heard 6 letters[\s\S]* 1 job /);
  writeFileSync(join(pty.work, 'go'), '');
  await pty.until((screen) => !screen.includes('1 job'));
  pty.send('more');
  await pty.until('Heard 4 letters');
  expect(resultsOf(pty.server?.requests.at(-1)).slice(-2)).toEqual([
    'one\n[job 1 ended (exit code 3)]\n[exit code: 0]',
    'two\n[exit code: 0]',
  ]);
  pty.keys('C-o');
  await pty.until('[job 1 ended (exit code 3)]');
});

it('@ offers the files of the folder, those that are ignored left out', async () => {
  const pty = await openRein(does({}), {
    prepare: ({ work }) => {
      mkdirSync(join(work, 'src/deep'), { recursive: true });
      for (const name of ['src/deep/needle.ts', 'needless.log', '.gitignore'])
        writeFileSync(join(work, name), '*.log\n');
    },
  });
  pty.type('read @need');
  const screen = await pty.until('src/deep/needle.ts');
  expect(screen).not.toContain('needless');
  pty.keys('Tab', 'Enter');
  await pty.until('› read @src/deep/needle.ts');
});

it('a plan is approved with Enter on an empty line, as it is or changed, and carried out in the chosen mode', async () => {
  const pty = await openRein(
    (asked) =>
      lastSaid(asked).includes('plan, as I approve') ? { text: 'Carried out.' } : { text: '1. do this\n2. do that' },
    { argv: ['--permission-mode', 'ask'], env: () => ({ VISUAL: 'sed -i s/that/more/' }) },
  );
  pty.keys('Enter');
  pty.send('/plan');
  await pty.until(/· plan ·/);
  pty.send('make a plan');
  await pty.until('enter: have this plan carried out');
  pty.keys('Enter');
  await pty.until('Carry out this plan?');
  pty.type('change');
  await pty.until(/› change the plan first/);
  pty.keys('Enter');
  await pty.until('Carry out the plan as you changed it?');
  pty.keys('Down', 'Enter');
  await pty.until('Carried out.');
  expect(await pty.until(/· acceptEdits ·/)).not.toContain('enter: have this plan');
  const last = pty.server?.requests.at(-1)?.asked;
  expect(last && lastSaid(last)).toContain('2. do more');
  expect(pty.logs()[0]?.entries.filter(({ type }) => type === 'mode')).toMatchObject([{ mode: 'acceptEdits' }]);
  // Once more it leads in, and out again.
  pty.send('/plan');
  await pty.until(/· plan ·/);
  pty.send('/plan');
  await pty.until(/· ask ·/);
  pty.send('/approve');
  await pty.until('There is no plan to approve');
});

it('an answer of always is listed by /permissions, taken back there, and asked again', async () => {
  const pty = await openRein(does({ mark: [bash('touch x && mkdir y')] }), {
    argv: ['--permission-mode', 'ask', '--sandbox', 'off', '--allowed-tools', 'bash(mkdir y)'],
  });
  pty.send('mark it');
  // Each command in the line has its own rule.
  await pty.until(/\? touch x +default: .*\n {4}✓ mkdir y +bash\(mkdir y\)/);
  await pty.until('a always: bash(touch x)');
  pty.type('a');
  await pty.until('Heard 7 letters');
  pty.send('/permissions');
  await pty.until(/allow bash\(mkdir y\) +flags/);
  pty.type('touch');
  await pty.until(/› allow bash\(touch x\) +this session/);
  pty.keys('Enter');
  await pty.until('asked again: bash(touch x)');
  pty.send('mark again');
  await pty.until('a always: bash(touch x)');
  pty.keys('Escape');
});

it('an edit is shown as a diff before it is allowed, a sub-agent’s too', async () => {
  const edit = { name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'two', new: 'TWO' }] } };
  const again = { name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'TWO', new: 'II' }] } };
  const task = { name: 'task', input: { prompt: 'helper' } };
  const pty = await openRein(does({ change: [edit, task], helper: [again] }), {
    argv: ['--permission-mode', 'ask', '--sandbox', 'off', '--allowed-tools', 'task'],
    prepare: ({ work }) => writeFileSync(join(work, 'a.txt'), 'one\ntwo\n'),
  });
  pty.send('change it');
  await pty.until(/\? edit_file wants[\s\S]*- two\n.*\+ TWO[\s\S]*y yes/);
  pty.type('y');
  await pty.until(/\? edit_file wants · asked by[\s\S]*- TWO\n.*\+ II[\s\S]*y yes/);
  pty.type('y');
  await pty.until('Heard 9 letters');
  expect(readFileSync(join(pty.work, 'a.txt'), 'utf8')).toBe('one\nII\n');
});

it('-r alone lets the person pick a session; a command line that names a command runs it', async () => {
  const pty = await openRein(does({}), {
    argv: ['-r'],
    prepare: (at) => void putSession(at, chain(opened(at.work), prompt('an older question'), reply('its answer'))),
  });
  await pty.until(/Resume[\s\S]*› an older question/);
  pty.keys('Enter');
  await pty.until(/› an older question\s+its answer/);
  pty.send('go on');
  await pty.until('Heard 5 letters');
  expect(pty.server?.requests[0]?.asked?.messages.map(({ text }) => text)).toEqual([
    'an older question',
    'its answer',
    expect.stringContaining('go on'),
  ]);
});

it('a model whose name has a colon is asked for whole; every effort that rein knows is offered', async () => {
  const pty = await openRein(does({}));
  pty.send('/model anthropic/qwen3:latest');
  await pty.until('· model anthropic/qwen3:latest');
  pty.send('hello there');
  await pty.until('Heard 11 letters');
  expect(pty.server?.requests[0]?.json).toMatchObject({ model: 'qwen3:latest' });
  pty.send('/effort');
  await pty.until(/off\n.*minimal\n.*low\n.*medium\n.*high\n.*xhigh\n.*max\n/);
  pty.type('max');
  await pty.until('› max');
  pty.keys('Enter');
  await pty.until(/^anthropic\/qwen3:latest:max · /m);
  pty.send('/model anthropic/scripted:low');
  await pty.until(/^anthropic\/scripted:low · /m);
});

it('/resume in a folder without a session lists those of all folders, and offers no more', async () => {
  const pty = await openRein(does({}), {
    prepare: ({ home }) => {
      const elsewhere = join(home, 'elsewhere');
      mkdirSync(elsewhere);
      putSession({ home, work: elsewhere }, chain(opened(elsewhere), prompt('asked elsewhere'), reply('its answer')));
    },
  });
  pty.send('/resume');
  await pty.until(/› asked elsewhere .*elsewhere/);
  expect(await pty.until('esc goes back')).not.toContain('tab all folders');
  pty.keys('Enter');
  await pty.until(/› asked elsewhere\s+its answer/);
});

it('/settings changes the file and keeps its comments; a broken one is left alone', async () => {
  const begin = '{\n  // mine\n  "maxTurns": 7, // seven\n}\n';
  const file = (home: string) => join(home, 'rein/settings.json');
  const pty = await openRein(does({}), { prepare: ({ home }) => writeFileSync(file(home), begin, { mode: 0o644 }) });
  pty.send('/theme light');
  await pty.until('theme is light from now on');
  pty.send('/settings maxTurns 9');
  await pty.until('maxTurns is 9 from the next start on');
  const text = readFileSync(file(pty.home), 'utf8');
  expect(text).toMatch(/\/\/ mine\n {2}"maxTurns": 9, \/\/ seven/);
  expect(text).toContain('"theme": "light"');
  expect(statSync(file(pty.home)).mode & 0o777).toBe(0o600);
  pty.send('/settings maxTurns many');
  await pty.until('! /settings: maxTurns');
  pty.send('/settings');
  await pty.until(/maxTurns +9 · .*rein\/settings\.json/);
  pty.type('undo');
  await pty.until(/› undo +on \(default\) · rein/);
  pty.keys('Escape');
  await pty.until((screen) => !screen.includes('esc goes back'));
  writeFileSync(file(pty.home), '{ "theme": ');
  pty.send('/theme dark');
  await pty.until('left as it is');
  expect(readFileSync(file(pty.home), 'utf8')).toBe('{ "theme": ');
});

it('an own status line gets the session as JSON and stands in place of ours', async () => {
  const command = `sed 's/.*"model":"\\([^"]*\\)".*"permission_mode":"\\([a-z]*\\)".*/mine: \\1 in \\2/; a second'`;
  const pty = await openRein(does({}), {
    prepare: ({ home }) =>
      void writeFileSync(join(home, 'rein/settings.json'), JSON.stringify({ statusLine: command })),
  });
  expect(await pty.until(/\nmine: anthropic\/scripted in bypass$/)).not.toContain('second');
});

const clipboard = (log: string) => ({
  'wl-paste': `#!/bin/sh
printf %s '${PNG.toString('base64')}' | base64 -d
`,
  'wl-copy': `#!/bin/sh
cat > '${log}'
`,
});

it('/copy and Ctrl+V use the clipboard of the machine; a path of an image becomes the image', async () => {
  const pty = await openRein(() => ({ text: 'An **answer**.' }), {
    prepare: ({ home }) => {
      mkdirSync(join(home, 'bin'));
      for (const [name, text] of Object.entries(clipboard(join(home, 'copied'))))
        writeFileSync(join(home, 'bin', name), text, { mode: 0o755 });
      writeFileSync(join(home, 'a picture.png'), PNG);
      writeFileSync(join(home, 'bad.png'), 'no image');
    },
    env: ({ home }) => ({ WAYLAND_DISPLAY: 'w', PATH: `${join(home, 'bin')}:${process.env['PATH']}` }),
  });
  pty.keys('C-v');
  await pty.until('[image #1]');
  pty.paste(`'${pty.home}/a picture.png'`);
  await pty.until('[image #2]');
  pty.paste(join(pty.home, 'bad.png'));
  await pty.until('is no image that a model can see');
  pty.keys('C-c');
  await pty.until(/─\n\n─/);
  pty.send('what are [image #1] and [image #2]');
  await pty.until('An answer.');
  expect(
    Buffer.from(pty.server?.requests[0]?.raw ?? [])
      .toString()
      .split(PNG.toString('base64')),
  ).toHaveLength(3);
  pty.send('/copy');
  await pty.until('The last answer is on the clipboard.');
  expect(readFileSync(join(pty.home, 'copied'), 'utf8')).toBe('An **answer**.');
});

it('leaving a session that has something in it says how to go on with it; a long output is counted', async () => {
  const pty = await openRein(does({ count: [bash('seq 1 5000')] }));
  pty.send('count for me');
  await pty.until('Heard 12 letters');
  expect(pty.screen()).toContain('✓ bash seq 1 5000 · 5,000 lines · ctrl+o');
  pty.keys('C-d');
  await pty.until(/rein -r \d{8}-\d{6}-\w{6} goes on with this session/);
});

it('/export writes the conversation to a new file for its owner alone, and overwrites none', async () => {
  const pty = await openRein(() => ({ text: 'An answer.' }));
  pty.send('/export out.md');
  await pty.until('Nothing was said yet.');
  pty.send('a question');
  await pty.until('An answer.');
  pty.send('/export out.md');
  await pty.until('Written to');
  const file = join(pty.work, 'out.md');
  expect(readFileSync(file, 'utf8')).toMatch(/^# Session .*\n\n## Prompt\n\na question\n\nAn answer\.\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  pty.send('/export out.md');
  await pty.until('is there already');
});

test.skipIf(!has('tmux') || !has('git'))(
  'what was done is seen, taken back and brought back; branches, context, cost and machine are shown',
  async () => {
    const pty = await openRein(does({ change: [edits] }));
    pty.send('change it');
    await pty.until('Heard 9 letters');
    pty.send('/diff');
    await pty.until(/\+two[\s\S]*q goes back/);
    pty.keys('q');
    await pty.until((screen) => !screen.includes('q goes back'));
    pty.send('/undo');
    await pty.until('Taken back, with 1 file. Up brings the prompt back.');
    expect(existsSync(join(pty.work, 'b.txt'))).toBe(false);
    pty.send('another way');
    await pty.until('Heard 11 letters');
    pty.send('/tree');
    await pty.until(/ {2}change it\n› another way +here/);
    pty.keys('Escape');
    await pty.until((screen) => !screen.includes('esc goes back'));
    pty.send('/context');
    await pty.until(/tokens[\s\S]*system +█*░* +\d+/);
    pty.send('/cost');
    await pty.until('3 model requests');
    pty.send('/skills');
    await pty.until('There are no skills here.');
    pty.send('/compact');
    await pty.until(/would gain little|summar/);
    pty.send('/doctor');
    await pty.until(/network[\s\S]*state +\S+/, { ms: 20_000 });
  },
);

test.skipIf(!has('tmux') || !has('git'))('/undo and /redo go step by step, or so many prompts at once', async () => {
  const write = (name: string) => [{ name: 'write_file', input: { path: name, content: `${name}\n` } }];
  const pty = await openRein(does({ alpha: write('a.txt'), beta: write('b.txt') }));
  const there = () => ['a.txt', 'b.txt'].filter((name) => existsSync(join(pty.work, name)));
  const says = async (line: string, files: readonly string[]) => {
    pty.send(line);
    await pty.until(() => there().join() === files.join());
    await pty.until(/─\n\n─/);
  };
  pty.send('make alpha');
  await pty.until('Heard 10 letters');
  pty.send('make beta');
  await pty.until('Heard 9 letters');
  await says('/undo', ['a.txt']);
  await says('/undo', []);
  await says('/redo', ['a.txt']);
  await says('/redo', ['a.txt', 'b.txt']);
  await says('/undo 2', []);
  await says('/redo', ['a.txt', 'b.txt']);
  pty.send('/undo 3');
  await pty.until('There are only 2 prompts.');
  pty.send('/undo all');
  await pty.until('/undo 3 takes back the last three prompts');
  pty.send('/redo 2');
  await pty.until('/redo takes no number');
  await says('/undo 2', []);
  pty.keys('Up', 'Up');
  await pty.until(/─\n\/undo 2\n─/);
  pty.keys('Down');
  await pty.until(/─\nmake alpha\n─/);
  // No command went to the model.
  expect(pty.server?.requests).toHaveLength(4);
});

it('a sub-agent that works is told something with /steer', async () => {
  const pty = await openRein((asked) => {
    const said = lastSaid(asked);
    if (asked.prompt.includes('hand over'))
      return asked.rounds.length === 0
        ? { calls: [{ name: 'task', input: { prompt: 'wait for word' } }] }
        : { text: `It said: ${asked.rounds[0]?.[0]?.text}` };
    if (said.includes('look left')) return { text: 'I looked left.' };
    return { calls: [bash('sleep 0.3')] };
  });
  pty.send('/steer hello');
  await pty.until('No sub-agent works now.');
  pty.send('hand over');
  await pty.until(/● task[\s\S]*bash sleep/, { ms: 20_000 });
  pty.send('/steer look left');
  await pty.until('Told “agent: wait for word”.');
  await pty.until('It said: I looked left.');
});

it('a command of one’s own is offered beside the others, and cannot take the name of one', async () => {
  const pty = await openRein(does({}), {
    prepare: ({ home }) => {
      const folder = join(home, 'rein/commands');
      mkdirSync(folder);
      writeFileSync(join(folder, 'greet.md'), '---\ndescription: says hello\n---\nSay hello to $ARGUMENTS');
      writeFileSync(join(folder, 'help.md'), 'This would hide the help.');
    },
  });
  pty.type('/gre');
  await pty.until(/\/greet +says hello/);
  pty.keys('C-c');
  pty.send('/greet the world');
  await pty.until('› Say hello to the world');
  pty.send('/help');
  expect(await pty.until('q goes back')).not.toContain('would hide');
});
