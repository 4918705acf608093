// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell lines
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { here, judge, rule, shell, verdict, wrong } from './support.ts';

/** The rules of a user as in the case list. */
const USER = { allow: ['bash(echo:*)', 'bash(ls:*)', 'bash(cat:*)', 'bash(git status:*)'] };
writeFileSync(join(here.root, 'a'), 'a\n');

const names = async (line: string) => (await shell(line)).commands.map(({ name }) => name);
const unknown = async (line: string) => (await shell(line)).unknown.length > 0;

test('E01 every command of a chain must be allowed', async () => {
  const lines = [
    'echo a && touch pwned',
    'echo a; touch pwned',
    'echo a | touch pwned',
    'echo a || touch pwned',
    'echo a & touch pwned',
    'echo a |& touch pwned',
    'echo a\ntouch pwned',
    'ls $(touch pwned)',
    '{ ls; touch pwned; }',
    '(ls; touch pwned)',
    'if ls; then touch pwned; fi',
    'while ls; do touch pwned; done',
    'for x in a; do touch pwned; done',
    'case a in a) touch pwned;; esac',
    '! touch pwned',
    'time touch pwned',
    'time { touch pwned; }',
    'coproc touch pwned',
  ];
  expect(await wrong(lines, 'ask', USER)).toEqual([]);
  expect(await verdict('echo "a && b"', USER)).toBe('allow');
  // To bash these two are grammar, to the parser they are words: what can't be known is asked.
  const odd = lines.filter((line) => !/^time \{|^coproc/.test(line));
  expect(await wrong(odd, 'deny', { ...USER, deny: ['bash(touch *)'] })).toEqual([]);
});

test('E02 substitutions are found in quotes, redirections and expansions', async () => {
  const lines = [
    'echo "`touch pwned`"',
    'echo `touch pwned`',
    'echo "${x:=$(touch pwned)}"',
    'echo "${x:-$(touch pwned)}"',
    'echo ${x%$(touch pwned)}',
    'echo "${x:-\'$(touch pwned)\'}"',
    'cat <(touch pwned)',
    'ls > >(touch pwned)',
    'echo $((a[$(touch pwned)]))',
    'echo $[ $(touch pwned) ]',
    'cat <<E\n$(touch pwned)\nE',
    'cat <<E\n`touch pwned`\nE',
    'cat <<< "$(touch pwned)"',
    'echo ok > pwned',
    'echo ok > "$(touch pwned)"',
    'echo "\n# $(touch pwned)\n"',
    'x=$(touch pwned)',
    'for x in $(touch pwned); do ls; done',
    'case $(touch pwned) in a) ls;; esac',
    '[[ -n $(touch pwned) ]]',
    '[[ a =~ $(touch pwned) ]]',
    'echo $(<$(touch pwned))',
  ];
  expect(await wrong(lines, 'ask', USER)).toEqual([]);
  expect(await verdict("cat <<'E'\n$(touch pwned)\nE", USER)).toBe('allow');
  expect(await verdict('cat <<\\E\n$(touch pwned)\nE', USER)).toBe('allow');
});

test('E03 what bash computes is asked, and deny sees through quoting', async () => {
  const deny = { allow: ['bash'], deny: ['bash(touch *)'] };
  const denied = [
    'touch pwned',
    "$'\\x74ouch' pwned",
    "$'\\u0074ouch' pwned",
    "$'\\164ouch' pwned",
    't""ouch pwned',
    "t''ouch pwned",
    '\\touch pwned',
    '"touch" pwned',
    'to\\\nuch pwned',
    'echo a;touch pwned',
    '/usr/bin/touch pwned',
    'FOO=1 touch pwned',
    '> f touch pwned',
  ];
  expect(await wrong(denied, 'deny', deny)).toEqual([]);
  const asked = [
    'echo a;touch${IFS}pwned',
    '{touch,pwned}',
    '$(echo touch) pwned',
    'x=touch; $x pwned',
    '"$x" pwned',
    't*uch pwned',
    '$"touch" pwned',
  ];
  expect(await wrong(asked, 'not allow', deny)).toEqual([]);
  expect(await wrong(asked, 'ask', USER)).toEqual([]);
});

test('E04 giving up means ask, in bounded time', async () => {
  const started = performance.now();
  expect(await verdict(`${'true; '.repeat(60)}touch pwned`, USER)).toBe('ask');
  expect(await verdict(`${'('.repeat(10_000)}touch pwned${')'.repeat(10_000)}`, USER)).toBe('ask');
  expect(await verdict(`echo ${'a'.repeat(1_000_000)}; touch pwned`, USER)).toBe('ask');
  expect(await verdict(`echo ${'$(echo '.repeat(500)}`, USER)).toBe('ask');
  expect(await verdict(`${'true; '.repeat(3_000)}touch pwned`, USER)).toBe('ask');
  expect(await verdict('eval \'eval "eval \\"eval ls\\""\''.repeat(3), USER)).toBe('ask');
  expect(performance.now() - started).toBeLessThan(3_000);
});

test('E11 wrappers are unwrapped and assignments are judged', async () => {
  const lines = [
    "env -S 'touch pwned'",
    'env touch pwned',
    'env A=1 touch pwned',
    'timeout 5 touch pwned',
    'timeout -s KILL 5 touch pwned',
    'nice -n 5 touch pwned',
    'nohup touch pwned',
    'command touch pwned',
    'builtin eval touch pwned',
    'exec touch pwned',
    'sudo -u root touch pwned',
    'sudo ls',
    'stdbuf -oL touch pwned',
    'setsid touch pwned',
    "sh -c 'touch pwned'",
    "bash -ec 'ls; touch pwned'",
    "eval 'touch pwned'",
    'eval touch pwned',
    'watch touch pwned',
    'busybox touch pwned',
    'xargs -n1 -I X touch X',
    'LD_PRELOAD=./e.so ls',
    "PAGER='touch pwned' git log",
    'BASH_ENV=./x.sh bash -c ls',
    "printf 'pwned' | xargs touch",
    'PATH=.:$PATH ls',
    'PATH=.; ls',
    'env PATH=. ls',
    'IFS=x; ls',
    'ls | xargs -I{} sh -c "ls {}"',
    'bash -c "$x"',
    'zsh -c ls',
    "sh -c \"echo \\$'a\\\\\\\\' ; touch pwned ; echo '\"",
  ];
  expect(await wrong(lines, 'not allow', USER)).toEqual([]);
  const fine = [
    'NO_COLOR=1 ls',
    'env NO_COLOR=1 ls',
    'LC_ALL=C ls',
    'timeout 5 ls',
    "bash -c 'ls; echo a'",
    'time ls',
    'command -v ls',
  ];
  expect(await wrong(fine, 'allow', USER)).toEqual([]);
  expect(await names('sudo env A=1 timeout 5 rm x')).toEqual(['sudo', 'env', 'timeout', 'rm']);
});

test('E11 options of wrappers are read as the wrapper reads them', async () => {
  const lines = [
    'ls | xargs -E -I rm keep.txt echo',
    'ls | xargs -E -I touch pwned echo',
    'ls | xargs -d -I touch pwned',
    'ls | xargs -I X -n1 touch',
    'ls | xargs -n1 -I X head X',
    'ls | xargs -0I X touch X',
    'ls | xargs -I q head /etc/q',
    'env --unset= touch pwned',
    'flock lock -c "touch pwned"',
    'timeout 5 -- touch pwned',
    'su -c "touch pwned"',
    'parallel touch ::: pwned',
    'taskset 1 touch pwned',
    "bash -coo pipefail errexit 'touch pwned'",
    "bash -co $x 'ls'",
    // A value that becomes several words brings the command along.
    "x='5 touch pwned'; nice -n $x ls",
    "x='1 2 touch pwned'; timeout -k $x 5 ls",
    "x='C touch pwned'; env LC_ALL=C LC_CTYPE=$x ls",
    "x='1 touch pwned'; xargs -n $x ls",
    "x='errexit -c touch'; bash -o $x",
  ];
  expect(await wrong(lines, 'not allow', USER)).toEqual([]);
  const fine = [
    'ls | xargs -n 1 echo',
    'ls | xargs -I{} echo {}',
    'ls | xargs -E end -I X echo X',
    'timeout -k "$x" 5 ls',
    "bash -coo pipefail errexit 'ls'",
    'env --unset=X ls',
  ];
  expect(await wrong(fine, 'allow', USER)).toEqual([]);
});

test('E12 built-ins that poison later commands are asked', async () => {
  const lines = [
    "export PAGER='touch pwned;cat'",
    "export PAGER='touch pwned;cat'; git log",
    'declare -x PAGER=x',
    'typeset PAGER=x',
    'ls(){ touch pwned; }',
    'function ls { touch pwned; }; ls',
    "alias ls='touch pwned'",
    "trap 'touch pwned' EXIT",
    'enable -f ./e.so e',
    'source ./x.sh',
    '. ./x.sh',
    'set -a',
    'shopt -s expand_aliases',
    'hash -p ./x ls',
    'read PATH',
    'for PATH in .; do ls; done',
    'ls {PATH}>/dev/null',
    'jobs -x touch pwned',
    'wait -p PATH',
    'bash +x -c ls',
    'printf -v PATH x',
    "printf -v 'a[$(touch pwned)]' x",
    "test -v 'a[$(touch pwned)]'",
    "[ -v 'a[$(touch pwned)]' ]",
    "[[ -v 'a[$(touch pwned)]' ]]",
    "[[ 'a[$(touch pwned)]' -eq 1 ]]",
    "x='a[$(touch pwned)]'; [[ $x -gt 1 ]]",
    "x='a[$(touch pwned)]'; echo $((x))",
    "x='-v a[$(touch pwned)]'; [ $x ]",
    'x=-v; [ "$x" "a" ]',
    "x='$(touch pwned)'; echo ${x@P}",
    'echo ${!x}',
    "let 'a[$(touch pwned)]'",
    'mapfile -C "touch pwned" -c 1 x',
    'unset PATH',
    "unset 'a[$(touch pwned)]'",
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(
    await wrong(
      ['set -euo pipefail; ls', 'export NO_COLOR=1; ls', 'x=1; echo "$x"', 'while read -r l; do echo "$l"; done < a'],
      'allow',
    ),
  ).toEqual([]);
});

test('the grammar is not believed where bash reads otherwise', async () => {
  // Each of these is one thing to the grammar and another to bash.
  const lines = [
    'ls \\ touch',
    'ls > a -la; echo \\ x',
    "echo $'a\\\\' ; touch pwned ; echo 'b'",
    'echo `ls #` ; touch pwned\n`',
    'echo `echo \\`touch pwned\\``',
    'case `grep x "\\$(touch pwned)"` in a) ls;; esac',
    'for x in `echo "\\$(touch pwned)"`; do ls; done',
    'cat <<E\nfoo\\\nE\ncat <<F\nE\ntouch pwned\nF\n',
    'cat <<A <<B\nx\nA\ntouch pwned\nB',
    'echo a\rb',
    'echo a\u0000b',
    'echo a\u2028touch',
    'ls\u00a0touch',
    '((x++))',
    'a=(1 2)',
    'a[0]=1',
    'for ((i=0;i<3;i++)); do ls; done',
    'foo (ls)',
    'if ls; then',
    "echo 'a",
    '${ touch pwned; }',
    'echo ${x:1}',
  ];
  for (const line of lines) expect([line, await unknown(line)]).toEqual([line, true]);
  // And here its tree needs a correction.
  const find = await shell('find . > out -delete');
  expect(find.commands[0]?.words.map(({ text }) => text)).toEqual(['.', '-delete']);
  expect((await shell('> out find . -delete')).commands[0]?.words.map(({ text }) => text)).toEqual(['.', '-delete']);
  const dash = await shell("python3 - <<'E'\nprint(1)\nE");
  expect(dash.commands[0]?.words.map(({ text }) => text)).toEqual(['-']);
  expect(dash.unknown).toEqual([]);
  expect((await shell("cat <<'E' | sh\nx\nE")).commands.map(({ name }) => name)).toEqual(['sh', 'cat']);
});

test('words are unquoted as bash does it', async () => {
  const words = async (line: string) => (await shell(line)).commands[0]?.words.map(({ text }) => text);
  expect(await words(`echo a"b"'c'd "x\\"y" "a\\b" $'t\\tn\\n' ''`)).toEqual(['abcd', 'x"y', 'a\\b', 't\tn\n', '']);
  expect(await words('echo ~ ~/x "~/x" ~root a~')).toEqual([here.home, `${here.home}/x`, '~/x', null, 'a~']);
  expect(await words('echo {a,b} {1..3} {} a{b} "{a,b}"')).toEqual([null, null, '{}', 'a{b}', '{a,b}']);
  expect(await words('echo $x "$x" "a$" $ * "*" \\*')).toEqual([null, null, 'a$', '$', null, '*', '*']);
  expect(await words('echo a \\\n  b')).toEqual(['a', 'b']);
});

test('names that every object has are programs like any other', async () => {
  const lines = [
    'constructor x',
    'toString',
    '__proto__ a',
    'git constructor',
    'npm constructor x',
    'hasOwnProperty -c x',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
});

test('a missing grammar means ask, not allow', async () => {
  const { createShell } = await import('../../src/policy/index.ts');
  const broken = createShell(() => Promise.reject(new Error('no such file')), null);
  expect((await broken('ls')).unknown[0]?.why).toContain('no such file');
  expect((await judge('ls')).verdict).toBe('allow');
  expect(rule('bash(ls)').tool).toBe('bash');
});
