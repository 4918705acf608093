/**
 * The model of one scenario, in a process of its own: `fork('bench/server.ts', [SCENARIO])`. Sends its URL when it
 * listens; answers `take` with when each request came and each answer was out since the last `take`.
 */
import { subscribe } from 'node:diagnostics_channel';
import { benchScenarios } from '../src/testing/scenarios/bench.ts';
import { startServer } from '../src/testing/server.ts';

/** Milliseconds of one clock. `left` is absent where the client went away first. */
export type Exchange = { readonly came: number; left?: number };

export type Ready = { readonly url: string };

const scenario = benchScenarios[process.argv[2] ?? ''];
if (!scenario) throw new Error(`No such scenario: ${process.argv[2]}`);

let exchanges: Exchange[] = [];
subscribe('http.server.request.start', () => {
  exchanges.push({ came: performance.now() });
});
subscribe('http.server.response.finish', () => {
  const open = exchanges.find(({ left }) => left === undefined);
  if (open) open.left = performance.now();
});

// Tests check requests; here the server's own work would only thin out the differences.
const { url } = await startServer(scenario, { strict: false, record: false });
process.on('message', () => {
  process.send?.(exchanges);
  exchanges = [];
});
process.on('disconnect', () => process.exit());
process.send?.({ url } satisfies Ready);
