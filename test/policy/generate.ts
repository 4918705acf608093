// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell lines
/** Command lines from a grammar: plain ones, nested ones, and ones that try to look like something else. */
import fc from 'fast-check';

/** Every external program that a line may name. None of them is ever the real one: see `record.ts`. */
export const PROGRAMS = (
  'ls cat head tail wc grep sort uniq cut sed awk find rg git diff tr date stat tee touch rm curl npm node python3 ' +
  'env timeout nice nohup xargs sh bash which basename jq xxd cp mv dd tar sleep seq uname tree make'
).split(' ');

const pick = (...items: readonly string[]) => fc.constantFrom(...items);
const join = (separator: string, ...parts: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((texts) => texts.filter((text) => text !== '').join(separator));

const file = pick(
  'a',
  'b.txt',
  'src',
  'src/one.ts',
  '.',
  './a',
  'dir with blank',
  '*.txt',
  'src/*',
  '-n',
  '--',
  "it's",
);
const hostile = pick(
  'touch pwned',
  'a; touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  '-delete',
  '-o',
  'a[$(touch pwned)]',
  '| sh',
  '# x',
  '\\',
  "'",
  '"',
  '}',
  '&&',
  '\n',
  '>',
  '{}',
  ';',
);

/** One text in one of the ways in which a shell can write it. */
const quoted = (text: string): fc.Arbitrary<string> => {
  const single = `'${text.replaceAll("'", "'\\''")}'`;
  const double = `"${text.replace(/[$`"\\]/g, '\\$&')}"`;
  const ansi = `$'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
  const hex = `$'${[...text].map((char) => (char < '\x7f' ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : char)).join('')}'`;
  const escaped = text.replace(/[^\w./-]/g, '\\$&').replaceAll('\\\n', "'\n'");
  const split = /^\w{2,}$/.test(text)
    ? [`${text[0]}""${text.slice(1)}`, `\\${text}`, `${text[0]}\\\n${text.slice(1)}`]
    : [];
  const plain = /^[\w./*-]+$/.test(text) ? [text, text, text, text, text, text] : [];
  return pick(single, double, ansi, hex, escaped, ...split, ...plain);
};

const harmlessCommand = join(
  ' ',
  pick(
    'ls',
    'ls -la',
    'cat',
    'head -n 3',
    'tail -5',
    'wc -l',
    'grep -n x',
    'grep -r x',
    'sort -u',
    'uniq -c',
    'cut -d: -f1',
    'sed -n 1,3p',
    "sed 's/a/b/'",
    "awk '{print $1}'",
    "find . -name '*.ts'",
    'rg x',
    'git status',
    'git log --oneline -5',
    'git diff',
    'diff a',
    'echo',
    'printf x',
    'true',
    'pwd',
    'date +%s',
    'stat',
    'basename',
    'test -f',
    'seq',
    'uname -a',
    'tr a b',
    'which',
    'grep --color x',
    'diff --unified a',
    'xxd -l 4',
    'xxd -ps',
    'tree -L 2',
    'git diff -U5',
    "sed 's/[^\\/]*$//;p'",
  ),
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: file.chain(quoted) },
    { weight: 1, arbitrary: hostile.chain(quoted) },
  ),
);
const otherCommand = join(
  ' ',
  pick(
    'touch',
    'rm -f',
    'tee',
    'curl',
    'npm test',
    'node -e',
    'python3 -c',
    'cp a',
    'mv a',
    'dd of=pwned',
    'sort -o pwned',
    'find . -delete',
    'find . -fprint',
    'sed -i s/a/b/',
    "sed '1e touch pwned'",
    'awk \'BEGIN{system("touch pwned")}\'',
    'git branch -D',
    'git -c alias.x=!x x',
    'git commit -m',
    'git diff --output=pwned',
    'rg --pre',
    'head -n',
    'sort -k $y',
    'sort -k',
    'awk 1 -v',
    "sed 's/[]/]/;s/;e touch pwned #/x/'",
    'sed -e p --e',
    'xxd a',
    'xxd -ps a',
    'xxd a -l',
    'uniq a',
    'tree -Lo 1',
    'make version',
    'node version',
    'awk 1 -f',
    'git --unknown x reset',
    'git checkout HEAD',
    'tar cf',
    'tree -o',
    'export PATH',
    'alias ls=touch',
    "trap 'touch pwned' EXIT",
    '. a',
    'set -a',
    'unset PATH',
    'eval',
    'exec',
    'read',
    'printf -v',
    'test -v',
    'hash -p a ls',
    'enable -n echo',
    'shopt -s extglob',
    'jobs -x',
    'wait -p PATH',
    'bash +x -c',
    'bash --norc -c',
    'read PATH',
    'printf -v PATH',
    'declare -i x',
    'let x',
  ),
  fc.oneof(file, hostile).chain(quoted),
);

const name = fc
  .oneof({ weight: 6, arbitrary: pick('ls', 'cat', 'echo') }, { weight: 2, arbitrary: pick('touch', 'rm', 'sh') })
  .chain(quoted);
const blank = fc.oneof(
  { weight: 20, arbitrary: pick(' ') },
  { weight: 1, arbitrary: pick('  ', '\t', ' \\\n ', '\\ ', '\u00a0', '\r', '\\\t', '\v', '') },
);
const wrapper = pick(
  'env',
  'env A=1',
  'env LC_ALL=C',
  'env -i',
  "env -S 'x'",
  'timeout 5',
  'timeout -k 1 5',
  'nice',
  'nice -n 5',
  'nohup',
  'command',
  'builtin',
  'exec',
  'xargs',
  'xargs -n1',
  'xargs -I X',
  'xargs -E -I',
  'xargs -n1 -I X',
  'xargs -n $y',
  'nice -n $y',
  'timeout -k $y 5',
  'env LC_ALL=C LC_CTYPE=$y',
  'bash -coo pipefail errexit',
  'time',
  '!',
  'sudo',
  'busybox',
  'NO_COLOR=1',
  'LC_ALL=C',
  'PATH=.',
  'x=1',
  'A=1 B=2',
  'coproc',
  'stdbuf -oL',
  'find . -exec',
  'watch',
  'eval',
  'time -p',
);
const redirect = pick(
  '> /dev/null',
  '2>/dev/null',
  '2>&1',
  '>&2',
  '< a',
  '<a',
  '> out',
  '>> out',
  '&> out',
  '>| out',
  '2> out',
  '< "$x"',
  '> "$x"',
  '<<< x',
  '<<< "$(touch pwned)"',
  '> /dev/null -n',
  '>&-',
  '3< a',
  '{fd}< a',
  '<> out',
  '> >(cat)',
  '< <(ls)',
);

const line: fc.Arbitrary<string> = fc.letrec<{ line: string; list: string; command: string; word: string }>((tie) => ({
  command: fc.oneof(
    { maxDepth: 4 },
    { weight: 10, arbitrary: harmlessCommand },
    { weight: 2, arbitrary: otherCommand },
    { weight: 2, arbitrary: fc.tuple(name, blank, tie('word')).map((parts) => parts.join('')) },
    { weight: 2, arbitrary: join(' ', harmlessCommand, tie('word'), tie('word')) },
    { weight: 2, arbitrary: join(' ', harmlessCommand, redirect) },
    { weight: 1, arbitrary: join(' ', redirect, tie('command')) },
    { weight: 2, arbitrary: join(' ', wrapper, tie('command')) },
    {
      weight: 1,
      arbitrary: join(
        ' ',
        pick('bash -c', 'sh -c', 'eval', 'bash -ec', 'env bash -c', 'bash -c x'),
        tie('command').chain(quoted),
      ),
    },
    {
      weight: 1,
      arbitrary: join(
        ' ',
        fc.constant('find . -exec'),
        harmlessCommand,
        pick('{} \\;', '{} +', '\\;', ';', '+ -delete \\;', '"$y" \\;', '$y -delete \\;'),
      ),
    },
  ),
  word: fc.oneof(
    { maxDepth: 4 },
    { weight: 6, arbitrary: file.chain(quoted) },
    { weight: 2, arbitrary: hostile.chain(quoted) },
    {
      weight: 2,
      arbitrary: pick(
        '$x',
        '"$x"',
        '$y',
        '[!]a]',
        '${x}',
        '${x:-a}',
        '${x%.*}',
        '$((1+2))',
        '$((x))',
        '${x@P}',
        '${!x}',
        '${x:1}',
        '"$@"',
        '$#',
        '{a,b}',
        '{1..3}',
        '~',
        '~/a',
        '*',
        '?',
        '[ab]',
        '$',
        'a$',
        '${x/a/b}',
        '$"a"',
        '$[1]',
        '${x[0]}',
        '#a',
        'a#b',
        '^',
        '=',
        'a=b',
        '!',
        '%1',
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(pick('$(', '"$(', '`', '<(', '>(', '"`', '${x:-$(', '"${x:=$(', '$((a[$('), tie('list'))
        .map(([open, list]) => `${open}${list}${CLOSE[open] ?? ')'}`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('word'), tie('word')).map((parts) => parts.join('')) },
  ),
  list: fc.oneof(
    { maxDepth: 3 },
    { weight: 8, arbitrary: tie('command') },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          tie('command'),
          pick(
            ' && ',
            ' || ',
            '; ',
            ' | ',
            ' & ',
            '\n',
            '&&',
            ';',
            '|',
            ' |& ',
            ' # x\n',
            '#x\n',
            ' &\n',
            ';;',
            ' \\\n&& ',
          ),
          tie('list'),
        )
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: tie('list').map((list) => `(${list})`) },
    { weight: 1, arbitrary: tie('list').map((list) => `{ ${list}; }`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('list'), tie('list'), tie('list'))
        .map(([a, b, c]) => `if ${a}; then ${b}; else ${c}; fi`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('word'), tie('list')).map(([word, list]) => `for x in ${word} b; do ${list}; done`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('list')).map(([list]) => `while read -r x; do ${list}; done <<< a`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('word'), tie('list'))
        .map(([word, list]) => `case ${word} in a) ${list};; *) echo;; esac`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          pick('[ -f ', '[[ -n ', 'test ', '[ ', '[[ ', '[[ 1 -eq '),
          tie('word'),
          pick(' ]', ' ]]', '', ' = b ]', ' == b* ]]'),
        )
        .map((parts) => parts.join('')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          pick(
            'x=',
            'x+=',
            'PATH=',
            'for PATH in . src; do ls; done; read x <<< ',
            'exec {PATH}>/dev/null; x=',
            'ls {PATH}>/dev/null; x=',
            'wait -p PATH; x=',
            'read -r PATH <<< . ; x=',
            'IFS=',
            'export x=',
            'local x=',
            'x[0]=',
          ),
          tie('word'),
          pick('; ', '\n'),
          tie('list'),
        )
        .map((parts) => parts.join('')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(pick('f() { ', 'ls() { ', 'function cat { '), tie('list'), tie('list'))
        .map(([open, a, b]) => `${open}${a}; }; ${b}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          pick(
            "cat <<'E'",
            'cat <<E',
            "cat <<-'E'",
            'cat <<\\E',
            'cat <<"E"',
            'sh <<E',
            "cat <<'E' | head",
            "cat <<'E' > out",
            'cat <<E -n',
            "cat <<'E' && ls",
            'cat <<E <<F',
          ),
          fc.array(fc.oneof(tie('list'), hostile, pick('E', 'E ', '\tE', 'text\\', '$x', '${x}')), { maxLength: 3 }),
          pick('\n', '\nls', '; ls', ''),
        )
        .map(([open, body, rest]) => [open, ...body, 'E'].join('\n') + rest),
    },
  ),
  line: tie('list'),
})).line;

const CLOSE: Readonly<Record<string, string>> = {
  '"$(': ')"',
  '`': '`',
  '"`': '`"',
  '${x:-$(': ')}',
  '"${x:=$(': ')}"',
  '$((a[$(': ')]))',
};

/** A line with a few characters changed: what no grammar writes, but a model may. */
const bent: fc.Arbitrary<string> = fc
  .tuple(
    line,
    fc.array(
      fc.tuple(
        fc.nat(),
        pick(
          '',
          '',
          ' ',
          '\n',
          '\\',
          "'",
          '"',
          '$',
          '`',
          '(',
          ')',
          '{',
          '}',
          ';',
          '&',
          '|',
          '<',
          '#',
          '\\\n',
          '!',
          '=',
          '[',
          ']',
          '*',
          ',',
          '~',
          '$(',
          'E',
          '\t',
          '-',
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, edits]) => edits.reduce((now, [at, insert]) => bend(now, at, insert), text));

function bend(text: string, at: number, insert: string): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + insert + text.slice(insert === '' ? place + 1 : place);
}

export const lines = (seed: number, count: number): string[] =>
  fc.sample(fc.oneof({ weight: 3, arbitrary: line }, { weight: 1, arbitrary: bent }), { seed, numRuns: count });
