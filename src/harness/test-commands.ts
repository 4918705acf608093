/** Which shell lines run a project's tests, by the words of their commands. A guess for people, never for a permission. */

/** A program, and what has to follow. */
const RUNS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:npm|pnpm|yarn|bun|deno)$/, /^(?:run(?:-script)? )?(?:test|tst|t)(?=$|[\s:])/],
  [
    /^(?:vitest|jest|mocha|ava|tap|jasmine|karma|pytest|py\.test|tox|nox|rspec|phpunit|pest|ctest|bats|gotestsum)$/,
    /^/,
  ],
  [
    /^(?:go|cargo|dotnet|swift|mix|zig|sbt|lein|rails|flutter|dart|stack|cabal|bazel|playwright)$/,
    /^(?:\+\S+ )?test\b/,
  ],
  [/^cargo$/, /^nextest\b/],
  [/^(?:mvn|gradle|mvnw|gradlew)$/, /(?:^|[\s:])(?:test|verify|check)(?=$|\s)/],
  [/^(?:make|gmake|ninja|just|task|rake)$/, /(?:^|\s)(?:tests?|check|spec)(?=$|[\s:-])/],
  [/^node$/, /(?:^|\s)--test\b/],
  [/^python[\d.]*$/, /^-m (?:pytest|unittest|nose2?|tox|nox)\b/],
  // A script that says so itself.
  [
    /^(?:node|tsx|ts-node|python[\d.]*|ruby|perl|php|bash|sh)$/,
    /^(?:-\S+ )*(?:\S*\/)?(?:(?:run[-_]?)?tests?\b|test_|\S*[._-](?:test|spec)s?\.\w+)/,
  ],
  [/^(?:run[-_]?)?tests?(?:[-_]\w+)?(?:\.\w+)?$/, /^(?!-[a-z] )/],
];

/** What stands before the program that matters. */
const BEFORE =
  /^(?:(?:\w+=\S*|time|env|command|exec|sudo|nice|npx(?: -y| --yes)?|bunx|pnpx|(?:pnpm|yarn|bun|npm) (?:exec|dlx|x)(?: --)?|uv run|poetry run|pipenv run|pdm run|hatch run|rye run|bundle exec|xvfb-run(?: -a)?|timeout(?: -\S+)* \S+|!|then|do|else|if|while) )+/;

/** A script in quotes that a shell runs. */
const INNER = /^(?:\S*\/)?(?:ba|z|da)?sh(?: -\w+)* -\w*c \0(\d+)/;

export function runsTests(line: string): boolean {
  const quoted: string[] = [];
  const bare = line
    .slice(0, 20_000)
    // What goes into a file is not run.
    .replace(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[\s\S]*?\n\s*\2(?=\n|$)/g, '$3')
    .replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"/g, (_, one, two) => `\0${quoted.push(one ?? two ?? '') - 1}`);
  return bare
    .split(/&&|\|\||[;|&\n(){}]/)
    .map((part) => part.trim().replace(/\s+/g, ' ').replace(BEFORE, ''))
    .some((part) => {
      const inner = INNER.exec(part)?.[1];
      if (inner !== undefined) return runsTests(quoted[Number(inner)] ?? '');
      const [, program = '', rest = ''] = /^(?:\S*\/)?([^\s/]+)(?: (.*))?$/.exec(part) ?? [];
      if (/(?:^|\s)--(?:version|help)\b/.test(rest)) return false;
      return RUNS.some(([name, words]) => name.test(program) && words.test(rest));
    });
}
