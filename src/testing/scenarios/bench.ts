import type { Asked, Reply, Turn } from '../turn.ts';

/** A scenario that is a function of the request, so that it serves any dialect and any number of sessions at once. */
export type FreeScenario = (asked: Asked) => Turn;

const bash = (command: string) => ({ name: 'bash', input: { command } });

/** Calls the shell once a turn, each time with another number, so many turns, then says so. */
const shellTurns =
  (turns: number, command: (turn: number) => string): FreeScenario =>
  ({ rounds }) =>
    rounds.length < turns ? { calls: [bash(command(rounds.length))] } : { text: `${turns} turns done` };

/** One reply with these calls, then a text. */
const oneRound =
  (commands: readonly string[], text: string): FreeScenario =>
  ({ rounds }) =>
    rounds.length === 0 ? { calls: commands.map(bash) } : { text };

const tokens = (): Reply => ({ text: Array.from({ length: 20_000 }, (_, i) => (i % 20 === 19 ? 'ok\n' : 'ok ')) });

/** What the benchmark runs, by name. Every one is answered at once; the time is the client's. */
export const benchScenarios: Readonly<Record<string, FreeScenario>> = {
  hello: () => ({ text: 'hello' }),
  turns50: shellTurns(50, (turn) => `true ${turn}`),
  'parallel-sleep': oneRound(Array<string>(8).fill('sleep 1'), 'all slept'),
  output50mb: oneRound(['yes 0123456789012345678901234567890 | head -c 52428800'], '50 MB printed'),
  tokens20000: tokens,
  turns300: shellTurns(300, (turn) => `printf %04096d ${turn}`),
};
