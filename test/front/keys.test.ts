import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { it, type Opened, openFixture } from './fixtures/open.ts';

/** Out of a picker: a key that came at once would be taken for Alt and that key. */
const back = (pty: Opened) => {
  pty.keys('Escape');
  return pty.until((screen) => !screen.includes('esc goes back'));
};

it('Shift+Tab goes plan, ask, auto, and says what each means', async () => {
  const pty = await openFixture();
  pty.keys('BTab');
  await pty.until('auto: free inside the sandbox, asks to leave it');
  pty.keys('BTab');
  await pty.until('plan: reads and plans, changes nothing');
  pty.keys('BTab');
  await pty.until('ask: asks before it changes or runs something');
});

it('Esc Esc goes back: prompts with the files each changed, then files, conversation or both', async () => {
  const pty = await openFixture();
  pty.keys('Escape');
  await pty.until('esc again goes back');
  pty.keys('Escape');
  const screen = await pty.until('Go back to before');
  expect(screen).toMatch(
    /› rename it {9}1 m ago\n {2}write the parser {2}src\/parse\.ts, test\/parse\.test\.ts · 2 m ago/,
  );
  pty.keys('Down', 'Enter');
  await pty.until('files and conversation');
  pty.keys('Enter');
  await pty.until('Changed by somebody else since: src/parse.ts');
  pty.keys('Enter');
  await pty.until('Back to before p1.');
  expect(await pty.once('rewind')).toEqual([
    ['p1', 'both', null],
    ['p1', 'both', 'keep'],
  ]);
  // The prompt is in the editor, to be changed and sent again.
  await pty.until(/─\nwrite the parser\n─/);
});

it('Ctrl+R searches earlier prompts', async () => {
  const pty = await openFixture();
  for (const text of ['alpha one', 'beta two', 'gamma three']) {
    pty.send(text);
    await pty.until(`echo: ${text}`);
  }
  pty.keys('C-r');
  await pty.until('Earlier prompts');
  pty.type('bta');
  await pty.until(/› beta two/);
  pty.keys('Enter');
  await pty.until(/─\nbeta two\n─/);
});

it('Alt+Enter sends afterwards, Alt+Up takes back', async () => {
  const pty = await openFixture();
  pty.send('slow');
  await pty.until('working on it');
  pty.type('later');
  pty.keys('M-Enter');
  await pty.until('⧗ later · afterwards');
  pty.keys('M-Up');
  await pty.until(/─\nlater\n─/);
  pty.keys('M-Enter');
  await pty.until('⧗ later · afterwards');
  pty.keys('C-c');
  await pty.until('■ stopped');
  // Stopping gives it back too.
  await pty.until(/─\nlater\n─/);
});

it('what is queued is sent when the work has ended', async () => {
  const pty = await openFixture();
  pty.send('think');
  await pty.until('thinking');
  pty.type('and then');
  pty.keys('M-Enter');
  await pty.until('echo: and then');
  expect(await pty.once('prompt', 2)).toEqual(['think', 'and then']);
});

it('Ctrl+G writes in an editor of one’s own, and the terminal comes back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-front-'));
  const edited = join(folder, 'edited');
  writeFileSync(edited, 'from the\neditor');
  const pty = await openFixture({ folder, env: { FIXTURE_EDITED: edited } });
  pty.type('draft');
  await pty.until('draft');
  pty.keys('C-g');
  await pty.until(/─\nfrom the\neditor\n─/);
  pty.keys('Enter');
  expect(await pty.once('prompt')).toEqual(['from the\neditor']);
});

it('! runs a shell line that the model sees, !! one that it does not, Esc stops it', async () => {
  const pty = await openFixture();
  pty.send('!npm test');
  await pty.until('ran npm test');
  pty.send('!! git status');
  expect(await pty.until('ran git status')).toMatch(
    /✓ ! npm test · 0\.\d s\n {2}ran npm test\n\n✓ !! git status · 0\.\d s/,
  );
  expect(await pty.once('shell', 2)).toEqual([
    ['npm test', true],
    ['git status', false],
  ]);
  pty.send('!sleep');
  await pty.until(/● ! sleep · \d s\n {2}working/);
  pty.keys('Escape');
  await pty.until('✗ ! sleep · stopped');
});

it('@ finds a file among a hundred thousand, and asks for the list once', async () => {
  const pty = await openFixture();
  pty.type('look at @scene');
  await pty.until('src/front/repl/scene.ts');
  pty.keys('Tab');
  await pty.until('look at @src/front/repl/scene.ts');
  pty.type('and @terminal');
  await pty.until('docs/terminal.md');
  pty.keys('Tab', 'Enter');
  expect(await pty.once('prompt')).toEqual(['look at @src/front/repl/scene.ts and @docs/terminal.md ']);
  expect(pty.seen('files')).toHaveLength(1);
});

it('an image comes from the clipboard or by its path, and stands in the text as a token', async () => {
  const pty = await openFixture();
  pty.keys('C-v');
  await pty.until('[image #1]');
  pty.paste("'/tmp/a picture.png'");
  await pty.until('[image #2]');
  pty.paste('/tmp/bad.png');
  await pty.until('/tmp/bad.png is no image.');
  pty.keys('C-c');
  await pty.until(/─\n\n─/);
  pty.type('what is [image #2]');
  pty.keys('Enter');
  await pty.until(/› what is \[image #2\]\n {2}\[image\]/);
});

it('the person can correct a command: the model is told, and nothing ran', async () => {
  const pty = await openFixture();
  pty.send('ask rm -rf build');
  await pty.until('e edit');
  pty.keys('e');
  await pty.until(/─\nrm -rf build\n─/);
  // Esc is a step back, to the question.
  pty.keys('Escape');
  await pty.until(/e edit[\s\S]*─\n\n─/);
  pty.keys('e');
  await pty.until(/─\nrm -rf build\n─/);
  pty.type('/out');
  pty.keys('Enter');
  await pty.until('I did not run it.');
  expect(await pty.once('answer')).toEqual([{ allow: false, reason: 'not this; run instead:\nrm -rf build/out' }]);
});

it('pickers: sessions with a preview, rules that are taken back, settings, jobs, models with prices', async () => {
  const pty = await openFixture();
  pty.send('/resume');
  expect(await pty.until('what was said in old-session')).toContain('tab all folders');
  await back(pty);
  pty.send('/permissions');
  await pty.until('asks before it changes or runs something');
  pty.type('npm');
  await pty.until('› allow bash(npm test)');
  pty.keys('Enter');
  await pty.until('bash(npm test) is asked again');
  expect(await pty.once('revoke')).toEqual(['bash(npm test)']);
  pty.send('/settings');
  await pty.until('dark · default');
  pty.keys('Enter');
  await pty.until(/^ {2}light/m);
  pty.keys('Down', 'Enter');
  await pty.until('theme is light from now on.');
  pty.send('/jobs');
  await pty.until('npm run watch  since 1 m');
  await back(pty);
  pty.send('/model');
  await pty.until('scripted/one  200k window · $3 in, $15 out');
  await back(pty);
  pty.send('/context');
  await pty.until('about 42.0k tokens of 200.0k (21 %); made smaller from 173.6k on');
  expect(pty.screen()).toMatch(/messages +█+░+ +40\.0k +20 %/);
});

it('Ctrl+T hides the todo list and shows it again, also when nothing works', async () => {
  const pty = await openFixture();
  pty.send('slow');
  await pty.until(/☑ read the code\n {2}▸ write the parser\n {2}☐ run the tests/);
  pty.keys('C-t');
  await pty.until((screen) => !screen.includes('write the parser'));
  pty.keys('C-t');
  await pty.until('▸ write the parser');
  pty.keys('Escape');
  await pty.until('■ stopped');
  expect(pty.screen()).toContain('▸ write the parser');
  pty.keys('C-t');
  await pty.until((screen) => !screen.includes('write the parser'));
  pty.keys('C-t');
  await pty.until('▸ write the parser');
});

it('Ctrl+T lists the sub-agents that work', async () => {
  const pty = await openFixture();
  pty.send('crew');
  await pty.until('● task Review the parser');
  pty.keys('C-t');
  await pty.until((screen) => !screen.includes('▸ write the parser'));
  pty.keys('C-t');
  await pty.until(/☐ run the tests\n {2}● Review the parser\n {2}● Review the tests/);
});

it('/fork says what is on the screen now and where the first session is', async () => {
  const pty = await openFixture();
  pty.send('/fork');
  await pty.until('This is the copy copied-session; fake-session stays as it is.');
});

it('the picker of a small screen keeps its choices, and has a preview where there is room', async () => {
  const pty = await openFixture({ columns: 40, rows: 10, env: { FIXTURE_LONG: '1' } });
  pty.send('/resume');
  await pty.until(/Resume[\s\S]*› an old prompt[\s\S]*another[\s\S]*third[\s\S]*enter picks/);
  expect(pty.screen()).not.toContain('said 1');
  pty.resize(40, 14);
  await pty.until(/› an old prompt[\s\S]*another[\s\S]*third[\s\S]*said 3[\s\S]*enter picks/);
});
