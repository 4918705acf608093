// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell lines
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide, isPathDenied, MODES, normalHost, parseRule, queryFor } from '../../src/policy/index.ts';
import { disk, here, judge, query, rule, shell, touch, verdict, wrong } from './support.ts';

const { root, home, base } = here;

test('a rule is a tool, or a tool and a pattern', () => {
  for (const text of [
    'bash',
    '*',
    'bash(git push *)',
    'bash(git push:*)',
    'Bash(npm test)',
    'write_file(src/**)',
    'Edit(a.ts)',
    'read_file(~/x)',
    'web_fetch(docs.rs)',
    'WebFetch(domain:docs.rs)',
    'web_fetch(*.docs.rs)',
    'task',
    'mcp__x__y',
    'bash(git commit -m "a b")',
    'bash(*)',
  ]) {
    expect([text, typeof parseRule(text, 'allow', 'x')]).toEqual([text, 'object']);
  }
  const parsed = parseRule('Bash(git push:*)', 'deny', 'x');
  expect(parsed).toMatchObject({ tool: 'bash', match: { kind: 'words', words: ['git', 'push'], open: true } });
});

test('F29 a malformed rule is a sentence that names it', () => {
  for (const text of [
    '',
    'bash(',
    'bash()',
    'bash)',
    'bash(git push',
    'two words',
    '*(x)',
    'mcp_*',
    'bash(git*)',
    'bash(* x)',
    'bash(a && b)',
    'bash(a; b)',
    'bash("a)',
    'web_fetch(http://x)',
    'web_fetch(a b)',
    'web_fetch(*.*.x)',
    'task(x)',
    '(x)',
  ]) {
    const parsed = parseRule(text, 'deny', 'settings');
    expect([text, typeof parsed]).toEqual([text, 'string']);
    expect(String(parsed)).toContain('The deny rule');
  }
});

test('command patterns match by words, never by the start of a string', async () => {
  const allow = ['bash(git push *)', 'bash(npm test)', 'bash(make * all)', 'bash(prog "a b" *)'];
  expect(
    await wrong(
      [
        'git push',
        'git push origin main',
        'git push $x "$y"',
        'npm test',
        '"npm" te\'s\'t',
        'make x all',
        'prog "a b"',
        "prog 'a b' c",
        'prog a\\ b',
      ],
      'not allow',
      { allow: [] },
    ),
  ).toEqual([]);
  expect(
    await wrong(
      [
        'git push',
        'git push origin main',
        'git push "$y"',
        'npm test',
        '"npm" te\'s\'t',
        'make x all',
        'prog "a b"',
        "prog 'a b' c",
        'prog a\\ b',
      ],
      'allow',
      { allow },
    ),
  ).toEqual([]);
  expect(
    await wrong(
      [
        'git pushx',
        'git -C x push',
        'npm test x',
        'npm tests',
        'npm "test x"',
        'npm $x',
        './npm test',
        'make all',
        'make x y all',
        'make $x all',
        'prog a b',
        'npm test > out',
        'X=1 npm test',
        'npm test && x',
      ],
      'ask',
      { allow },
    ),
  ).toEqual([]);
});

test('to allow a program that starts others is not to allow the others', async () => {
  const allow = ['bash(find *)', 'bash(sudo *)', 'bash(bash *)', 'bash(sudo make x)'];
  const asked = [
    'find . -exec touch pwned \\;',
    'sudo touch pwned',
    "bash -c 'touch pwned'",
    'find . -delete',
    'sudo make y',
  ];
  expect(await wrong(asked, 'ask', { allow })).toEqual([]);
  expect(await wrong(['find . -fls x', 'sudo ls', 'sudo make x'], 'allow', { allow })).toEqual([]);
});

test('deny beats ask beats allow, in any order and from any source', async () => {
  const texts = [
    rule('bash(npm *)', 'allow', 'grant'),
    rule('bash(npm run *)', 'ask', 'project'),
    rule('bash(npm run x)', 'deny', 'settings'),
  ];
  for (const rules of [texts, texts.toReversed(), [texts[1], texts[2], texts[0]].flatMap((one) => one ?? [])]) {
    const of = async (line: string) =>
      decide({ ...(await query('bash', { show: line, command: line })), rules }).verdict;
    expect([await of('npm test'), await of('npm run y'), await of('npm run x')]).toEqual(['allow', 'ask', 'deny']);
  }
});

test('a deny rule is read widely, and what may match is asked', async () => {
  const deny = { allow: ['bash'], deny: ['bash(git push *)', 'bash(rm *)'] };
  expect(
    await wrong(
      [
        'git push',
        'git -C . push',
        'git -c a=b push x',
        'git --no-pager push',
        '/usr/bin/git push',
        'sudo git push',
        "sh -c 'git push'",
        'xargs git push',
        'cd x && git push',
        'ls; rm a',
        'find . -exec rm {} \\;',
      ],
      'deny',
      deny,
    ),
  ).toEqual([]);
  expect(
    await wrong(['git $x', '$x push', 'git "$x"', 'eval "$x"', 'f() { ls; }', 'git -C "$x" $y'], 'not allow', deny),
  ).toEqual([]);
  expect(await wrong(['git pull', 'git commit -m "git push"', 'echo rm', 'npm test "$x"'], 'allow', deny)).toEqual([]);
  // In bypass nothing is asked: what may be denied is refused.
  expect(await wrong(['git push', '$x push', 'eval "$x"'], 'deny', { ...deny, mode: 'bypass' })).toEqual([]);
  expect(await wrong(['$x push', 'rm -rf src', 'echo x > .git/config'], 'allow', { mode: 'bypass' })).toEqual([]);
  // Ask rules too.
  expect(await verdict('git -C . push', { allow: ['bash'], ask: ['bash(git push *)'] })).toBe('ask');
});

test('E03 a deny rule holds whatever options stand in front of what it names', async () => {
  const deny = { mode: 'bypass', deny: ['bash(git push *)', 'bash(npm publish *)', 'bash(rm -rf *)'] } as const;
  const lines = [
    'git --shallow-file x push',
    'git --attr-source HEAD push',
    'git --attr-source=HEAD push',
    'git --unknown push',
    'git --unknown x push',
    'git --git-dir x --work-tree y push',
    'git -c alias.p=push p',
    'git -c ALIAS.p=push p',
    'git -c include.path=x p',
    'git --config-env alias.p=P p',
    'git -c "$x" p',
    'git -C $x push',
    "bash -coo pipefail errexit 'git push'",
    "bash -o pipefail -oc errexit 'git push'",
    "sudo -s 'git push'",
    "su -c 'git push'",
    "flock lock -c 'git push'",
    'x=1; nice -n $x git push',
    'npm --silent publish',
    'npm --prefix x publish',
    'npm --prefix x -w y publish --tag z',
    'npm "$x" publish',
    'rm -v -rf x',
  ];
  expect(await wrong(lines, 'deny', deny)).toEqual([]);
  const fine = ['git --shallow-file x pull', 'git -C push status', 'git --no-pager log', 'npm --prefix publish-x test'];
  expect(await wrong([...fine, 'npm run publish', 'git --version', 'rm -v x'], 'allow', deny)).toEqual([]);
});

test('E23 a link that leads nowhere yet leads where it says', async () => {
  symlinkSync(join(home, 'outside'), join(root, 'out'));
  symlinkSync('out', join(root, 'twice'));
  symlinkSync('../home/new/file', join(root, 'deeper'));
  symlinkSync('loop', join(root, 'loop'));
  for (const name of ['out', 'twice', 'deeper', 'out/below']) {
    const edits = { mode: 'acceptEdits' } as const;
    expect([name, await verdict(`echo x > ${name}`, edits)]).toEqual([name, 'ask']);
    expect([name, (await touch('write_file', join(root, name), edits)).verdict]).toEqual([name, 'ask']);
    expect([name, await verdict(`cat ${name}`)]).toEqual([name, 'ask']);
  }
  expect(await verdict('echo x > twice', { deny: ['write_file(~/outside)'] })).toBe('deny');
  expect(await verdict('cat loop nothere')).toBe('allow');
});

test('E25 path rules compare parts of real paths', async () => {
  const allow = {
    allow: ['write_file(src/**)', 'write_file(*.md)', 'read_file(~/notes/**)', `read_file(${base}/other/*)`],
  };
  const of = async (tool: string, path: string) => (await touch(tool, path, allow)).verdict;
  expect(await of('write_file', join(root, 'src/a/b.ts'))).toBe('allow');
  expect(await of('write_file', join(root, 'README.md'))).toBe('allow');
  expect(await of('edit_file', join(root, 'src/a.ts'))).toBe('allow');
  for (const path of ['src-evil/a', 'srcx', 'doc/README.md', '../src/a', 'src/../x', '../app-evil/src/a']) {
    expect([path, await of('write_file', join(root, path))]).toEqual([path, 'ask']);
  }
  expect(await of('read_file', join(home, 'notes/x/y'))).toBe('allow');
  expect(await of('read_file', join(home, 'notesx'))).toBe('ask');
  expect(await of('read_file', join(base, 'other/x'))).toBe('allow');
  expect(await of('read_file', join(base, 'other/x/y'))).toBe('ask');
  expect(await verdict('cat ~/notes/x', allow)).toBe('allow');
  expect(await verdict('echo x > src/a', allow)).toBe('allow');
  expect(await verdict('echo x > other', allow)).toBe('ask');
  // To allow editing is not to allow overwriting.
  expect((await touch('write_file', join(root, 'x'), { allow: ['edit_file(x)'] })).verdict).toBe('ask');
  expect((await touch('write_file', join(root, 'x'), { mode: 'acceptEdits', deny: ['edit_file(x)'] })).verdict).toBe(
    'deny',
  );
  // E23: the rule names a link, the path is what it leads to.
  mkdirSync(join(base, 'vault'));
  symlinkSync(join(base, 'vault'), join(root, 'link'));
  const linked = { deny: ['read_file(link/**)'], allow: ['read_file'] };
  expect((await touch('read_file', join(root, 'link/x'), linked)).verdict).toBe('deny');
  expect((await touch('read_file', join(base, 'vault/x'), linked)).verdict).toBe('deny');
  expect(await verdict('cat link/x', linked)).toBe('deny');
  const place = { roots: [root], home, disk };
  expect(isPathDenied(join(root, 'a/.env'), 'read', [rule('read_file(**/.env)', 'deny')], place)).toBe(true);
  expect(isPathDenied('/elsewhere/.env', 'read', [rule('read_file(**/.env)', 'deny')], place)).toBe(true);
  expect(isPathDenied(join(root, 'a/env'), 'read', [rule('read_file(**/.env)', 'deny')], place)).toBe(false);
});

test('E17 hosts are compared whole, or on the border of a label', async () => {
  const allow = { allow: ['web_fetch(docs.example.com)', 'web_fetch(*.docs.rs)'] };
  const of = async (host: string) => decide(await query('web_fetch', { show: host, hosts: [host] }, allow)).verdict;
  for (const host of ['docs.example.com', 'DOCS.example.com.', 'a.docs.rs', 'a.b.docs.rs'])
    expect([host, await of(host)]).toEqual([host, 'allow']);
  for (const host of [
    'docs.example.com.evil.test',
    'evil-docs.example.com',
    'x.docs.example.com',
    'docs.rs',
    'evildocs.rs',
    'example.com',
    'docs.example.com\0.evil.test',
    'docs.example.com@evil.test',
  ]) {
    expect([host, await of(host)]).toEqual([host, 'ask']);
  }
  expect(normalHost('a\0b')).toBe(null);
});

test('E26 E27 what runs later is asked in every mode but bypass, and .git is never written by file tools', async () => {
  const protectedPaths = [
    '.vscode/tasks.json',
    '.idea/x',
    '.husky/pre-commit',
    '.envrc',
    '.rein/settings.json',
    '.rein/hooks/x',
    '.mcp.json',
    '.github/workflows/ci.yml',
    '.claude/settings.json',
    'sub/HEAD',
    '.gitmodules',
    '.npmrc',
  ];
  for (const path of [
    ...protectedPaths.map((one) => join(root, one)),
    join(home, '.bashrc'),
    join(home, '.ssh/authorized_keys'),
  ]) {
    for (const mode of ['ask', 'acceptEdits', 'auto'] as const) {
      const outcome = await touch('write_file', path, { mode, sandboxed: true, allow: ['write_file'] });
      expect([path, mode, outcome.verdict]).toEqual([path, mode, 'ask']);
    }
    expect((await touch('write_file', path, { mode: 'bypass' })).verdict).toBe('allow');
  }
  for (const path of ['.git/hooks/pre-commit', '.git/config', 'sub/.git/config']) {
    for (const mode of MODES)
      expect((await touch('write_file', join(root, path), { mode, allow: ['*'] })).verdict).toBe('deny');
  }
  const lines = [
    'echo x > .envrc',
    'cp a .git/hooks/pre-commit',
    'tee .husky/pre-commit',
    'echo x >> ~/.bashrc',
    'echo x > .git/config',
    'cd .git && echo x > config',
    'sed -i s/a/b/ .github/workflows/ci.yml',
    'dd --x=.envrc',
    'ln -s x .git/hooks/pre-push',
  ];
  expect(await wrong(lines, 'ask', { mode: 'auto', sandboxed: true, allow: ['bash'] })).toEqual([]);
});

test('modes: what each allows by itself', async () => {
  const write = (mode: (typeof MODES)[number], sandboxed: boolean) =>
    touch('write_file', join(root, 'new.ts'), { mode, sandboxed }).then((one) => one.verdict);
  const run = (mode: (typeof MODES)[number], sandboxed: boolean) => verdict('npm test', { mode, sandboxed });
  const table = [];
  for (const mode of MODES)
    for (const sandboxed of [false, true])
      table.push([
        mode,
        sandboxed,
        await write(mode, sandboxed),
        await run(mode, sandboxed),
        await verdict('ls', { mode, sandboxed }),
      ]);
  expect(table).toEqual([
    ['plan', false, 'deny', 'deny', 'allow'],
    ['plan', true, 'deny', 'deny', 'allow'],
    ['ask', false, 'ask', 'ask', 'allow'],
    ['ask', true, 'ask', 'ask', 'allow'],
    ['acceptEdits', false, 'allow', 'ask', 'allow'],
    ['acceptEdits', true, 'allow', 'ask', 'allow'],
    ['auto', false, 'allow', 'ask', 'allow'],
    ['auto', true, 'allow', 'allow', 'allow'],
    ['bypass', false, 'allow', 'allow', 'allow'],
    ['bypass', true, 'allow', 'allow', 'allow'],
  ]);
  expect(await verdict('npm test', { mode: 'plan', allow: ['bash'] })).toBe('deny');
  expect(await verdict('echo x > a', { mode: 'plan', sandboxed: true, allow: ['bash'] })).toBe('deny');
  expect((await touch('read_file', '/etc/hosts')).verdict).toBe('ask');
  expect((await touch('read_file', join(root, 'a'))).verdict).toBe('allow');
  expect((await touch('read_file', join(root, '.env'))).verdict).toBe('ask');
  expect((await touch('read_file', join(root, '.env.example'))).verdict).toBe('allow');
  expect((await touch('read_file', join(root, '.env'), { allow: ['read_file(.env)'] })).verdict).toBe('allow');
  expect((await touch('read_file', join(root, '.env'), { allow: ['read_file', 'read_file(**)'] })).verdict).toBe('ask');
  expect((await touch('search_files', root, { deny: ['read_file(**/.env)'] })).verdict).toBe('allow');
  for (const tool of ['task', 'todo'])
    expect(decide(await query(tool, { show: '', anything: true })).verdict).toBe('allow');
  expect(decide(await query('mcp__x', { show: '', anything: true })).verdict).toBe('ask');
  expect(decide(await query('mcp__x', { show: '', anything: true }, { mode: 'auto', sandboxed: true })).verdict).toBe(
    'ask',
  );
  expect(await verdict('i=0; while [ $i -lt 3 ]; do i=$((i+1)); done', { mode: 'auto', sandboxed: true })).toBe(
    'allow',
  );
});

test('plan mode refuses what is not known to only read, sandbox or not, and nobody is asked about it', async () => {
  const lines = ['touch x', 'npm test', 'echo x > a', 'PAGER=x git log', 'f() { ls; }', '$x', 'ls; touch x', 'sudo ls'];
  for (const sandboxed of [false, true]) {
    const plan = { mode: 'plan', sandboxed, allow: ['bash'] } as const;
    expect(await wrong(lines, 'deny', plan)).toEqual([]);
    expect(
      await wrong(['ls', 'git log', 'NO_COLOR=1 ls', "find . -name x | head -1; bash -c 'ls'"], 'allow', plan),
    ).toEqual([]);
    const tool = async (name: string) => decide(await query(name, { show: '', anything: true }, plan)).verdict;
    expect([await tool('mcp__x'), await tool('task'), await tool('todo'), await tool('skill')]).toEqual([
      'deny',
      'allow',
      'allow',
      'allow',
    ]);
  }
  // Looking elsewhere can succeed, so it is asked.
  expect(await verdict('cat /etc/hosts', { mode: 'plan' })).toBe('ask');
  expect(decide(await query('web_fetch', { show: '', hosts: ['docs.rs'] }, { mode: 'plan' })).verdict).toBe('ask');
});

test('E43 a folder chosen by the model widens nothing', async () => {
  const auto = { mode: 'acceptEdits', cwd: home } as const;
  expect(await verdict('echo x > pwned', auto)).toBe('ask');
  expect(await verdict('cat x', auto)).toBe('ask');
  expect(await verdict('echo x > pwned', { ...auto, cwd: '/tmp/..' })).toBe('ask');
  expect(await verdict('cd ~ && echo x > pwned', { mode: 'acceptEdits' })).toBe('ask');
  expect(await verdict('echo x > pwned', { mode: 'acceptEdits', roots: [root, home], cwd: home })).toBe('allow');
});

test('the outcome names the strictest part', async () => {
  const outcome = await judge('ls && npm test && rm x', { deny: ['bash(rm *)'] });
  expect(outcome.verdict).toBe('deny');
  expect(outcome.rule).toBe('bash(rm *)');
  expect(outcome.parts.map(({ verdict: one }) => one)).toEqual(['allow', 'ask', 'deny']);
});

test('E28 read-only git is asked without a sandbox where the repository names programs', async () => {
  const verdictOf = async (sandboxed: boolean) => {
    const place = { roots: [root], home, disk: { ...disk, arms: () => true }, shell };
    const state = { cwd: () => root, mode: () => 'ask' as const, rules: () => [], sandboxed: () => sandboxed };
    return decide(await queryFor('bash', { show: '', command: 'git status', anything: true }, { ...place, ...state }))
      .verdict;
  };
  expect(await verdictOf(true)).toBe('allow');
  expect(await verdictOf(false)).toBe('ask');
});

test('E28 that is so wherever git is sent to', async () => {
  const verdictOf = async (command: string) => {
    const place = { roots: [root], home, disk: { ...disk, arms: (at: string) => at.endsWith('/sub') }, shell };
    const state = { cwd: () => root, mode: () => 'ask' as const, rules: () => [], sandboxed: () => false };
    return decide(await queryFor('bash', { show: '', command, anything: true }, { ...place, ...state })).verdict;
  };
  for (const command of [
    'cd sub && git status',
    'git -C sub status',
    'command git -C sub status',
    'git -C "$x" status',
  ])
    expect([command, await verdictOf(command)]).toEqual([command, 'ask']);
  for (const command of ['git status', 'cd src && git status', 'git -C src status'])
    expect([command, await verdictOf(command)]).toEqual([command, 'allow']);
});

test('a rule for a tool in other letters is a mistake that is told, not a rule for nothing', () => {
  for (const text of ['BASH(git push *)', 'readFile', 'write-file(src/**)', 'WEB_FETCH(docs.rs)'])
    expect(parseRule(text, 'deny', 'x')).toMatch(
      /there is no tool \S+; write (?:bash|read_file|write_file|web_fetch)\.$/,
    );
  expect(parseRule('mine', 'deny', 'x')).toMatchObject({ tool: 'mine' });
});
