/** Settings and rules, seen and changed by the person. */
import { readFileSync } from 'node:fs';
import type { Host } from '../../front/repl/host.ts';
import { listRules, listSettings, parseSettings, type Session, type Source, saveSetting } from '../../harness/index.ts';
import type { Base } from '../load.ts';

/** What changes at once; the rest is read when rein starts. */
const AT_ONCE = ['theme', 'statusLine'];

export type SettingsHost = Pick<Host, 'settings' | 'saveSetting' | 'rules' | 'revoke'> & {
  readonly statusLine: () => string | undefined;
};

export function settingsOf({ sources: given, configFolder }: Base, session: () => Session): SettingsHost {
  let sources = given;
  const lineOf = (key: string) => listSettings(sources).find((one) => one.key === key);
  return {
    settings: () => listSettings(sources),
    saveSetting: async (key, value) => {
      const file = await saveSetting(configFolder, key, value);
      const own = await parseSettings(file, readFileSync(file, 'utf8'));
      sources = withOwn(sources, own);
      const line = lineOf(key.split('.')[0] ?? key);
      if (line && line.from !== own.name && line.from !== 'rein')
        return `Kept in \`${file}\`, but \`${line.from}\` says ${line.value}, and that counts here.`;
      const when = AT_ONCE.includes(key) ? 'from now on' : 'from the next start on';
      return `\`${key}\` is ${value === 'default' ? 'as rein has it' : value} ${when}. Kept in \`${file}\`.`;
    },
    rules: () => [
      ...listRules(sources),
      ...session()
        .grants()
        .map((rule) => ({ effect: 'allow' as const, rule, from: 'this session', revocable: true })),
    ],
    revoke: (rule) => session().revoke(rule),
    statusLine: () => {
      const line = lineOf('statusLine');
      return line && line.value !== 'default' ? line.value : undefined;
    },
  };
}

/** The user's file is the weakest source. */
const withOwn = (sources: readonly Source[], own: Source): readonly Source[] =>
  sources.some(({ name }) => name === own.name)
    ? sources.map((source) => (source.name === own.name ? own : source))
    : [own, ...sources];
