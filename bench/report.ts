import { type Cost, median, quantile } from './measure.ts';
import type { Exchange } from './server.ts';

/** One run of one program, seen from both ends of the wire. */
export type Sample = Cost & { readonly exchanges: readonly Exchange[] };

/** By scenario, then by program; the first program is the floor. */
export type Samples = ReadonlyMap<string, ReadonlyMap<string, readonly Sample[]>>;

/** Milliseconds between the end of an answer and the next request: tools included, the model not. */
export const turnsOf = ({ exchanges }: Sample): readonly number[] =>
  exchanges.slice(1).map(({ came }, i) => came - (exchanges[i]?.left ?? Number.NaN));

export const renderTable = (samples: Samples): string => {
  const rows = [...samples].flatMap(([scenario, programs]) => {
    const floor = [...programs.values()][0] ?? [];
    return [...programs].map(([name, runs]) => renderRow(scenario, name, runs, floor));
  });
  return [
    '| scenario | program | wall | × floor | CPU | × floor | peak memory | a turn, median | × floor | p95 | requests |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
};

const renderRow = (scenario: string, name: string, runs: readonly Sample[], floor: readonly Sample[]): string => {
  const of = (read: (sample: Sample) => number) => [median(runs.map(read)), median(floor.map(read))] as const;
  const [wall, floorWall] = of(({ wall }) => wall);
  const [cpu, floorCpu] = of(({ cpu }) => cpu);
  const turns = runs.flatMap(turnsOf);
  const turn = median(turns);
  const cells = [
    scenario,
    name,
    `${wall.toFixed(0)} ms`,
    ratio(wall, floorWall),
    `${cpu.toFixed(0)} ms`,
    ratio(cpu, floorCpu),
    `${(of(({ memory }) => memory)[0] / 2 ** 20).toFixed(0)} MB`,
    turns.length > 0 ? `${turn.toFixed(1)} ms` : '–',
    turns.length > 0 ? ratio(turn, median(floor.flatMap(turnsOf))) : '–',
    turns.length > 0 ? `${quantile(turns, 0.95).toFixed(1)} ms` : '–',
    of(({ exchanges }) => exchanges.length)[0],
  ];
  return `| ${cells.join(' | ')} |`;
};

const ratio = (value: number, base: number): string => (base > 0 ? (value / base).toFixed(2) : '–');

/** Numbers that compare two cells: what tokens cost above an empty turn, and whether late turns are slower. */
export const renderDerived = (samples: Samples): readonly string[] => [
  ...renderTokens(samples),
  ...[...(samples.get('turns300') ?? [])].map(([name, runs]) => {
    const part = (from: number, to?: number) => median(runs.flatMap((run) => turnsOf(run).slice(from, to)));
    const [first, last] = [part(0, 30), part(-30)];
    return `- turns300, ${name}: the first 30 turns ${first.toFixed(1)} ms, the last 30 ${last.toFixed(1)} ms (× ${ratio(last, first)})`;
  }),
];

const renderTokens = (samples: Samples): readonly string[] => {
  const cpu = (scenario: string, name: string) =>
    median((samples.get(scenario)?.get(name) ?? []).map((run) => run.cpu));
  const names = [...(samples.get('tokens20000')?.keys() ?? [])];
  if (!samples.has('hello')) return [];
  const above = names.map((name) => [name, cpu('tokens20000', name) - cpu('hello', name)] as const);
  const [, floor = Number.NaN] = above[0] ?? [];
  return above.map(
    ([name, ms]) => `- tokens20000, ${name}: ${ms.toFixed(0)} ms of CPU above hello (× ${ratio(ms, floor)} floor)`,
  );
};
