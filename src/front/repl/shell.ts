import type { ShellEnd } from '../../harness/user-shell.ts';
import type { Row } from '../render/row.ts';
import { clipped, lineRow, textRow } from '../render/row.ts';
import { safe } from '../render/safe.ts';
import type { Look } from '../render/theme.ts';
import { callRow, took } from '../render/tools.ts';
import type { Host } from './host.ts';
import { advance, type Runs, runRows } from './runs.ts';

/** Lines of output that are shown. */
const MAX_OUTPUT = 40;

/** Shell lines of the person's: `!` shows them to the model, `!!` does not. */
export type Shell = {
  /** Takes a line that begins with `!`. */
  readonly take: (line: string) => boolean;
  readonly rows: () => readonly Row[];
  readonly busy: () => boolean;
  /** Stops what runs. */
  readonly stop: () => void;
};

export type ShellOptions = {
  readonly host: Host;
  readonly look: Look;
  readonly now: () => number;
  readonly push: (rows: readonly Row[]) => void;
  readonly refresh: () => void;
};

export const createShell = ({ host, look, now, push, refresh }: ShellOptions): Shell => {
  let runs: Runs = new Map();
  let count = 0;
  const running = new Set<AbortController>();
  const run = async (command: string, shown: boolean) => {
    const aborter = new AbortController();
    running.add(aborter);
    const call = String(count++);
    const began = now();
    const name = shown ? '!' : '!!';
    runs = advance(runs, { live: 'started', call, name, show: command }, began);
    refresh();
    const said = (text: string) => {
      runs = advance(runs, { live: 'progress', call, text }, now());
      refresh();
    };
    const end = await host.shell(command, shown, aborter.signal, said).catch((error: unknown) => ({
      output: error instanceof Error ? error.message : String(error),
      exit: null,
    }));
    running.delete(aborter);
    runs = new Map([...runs].filter(([key]) => key !== call));
    push(endRows(look, name, command, end, now() - began));
  };
  return {
    take: (line) => {
      const match = /^(!!?)\s*(\S[\s\S]*)$/.exec(line);
      if (!match) return false;
      void run(match[2] ?? '', match[1] === '!');
      return true;
    },
    rows: () => runRows(look, runs, now()),
    busy: () => running.size > 0,
    stop: () => {
      for (const aborter of running) aborter.abort();
    },
  };
};

const endRows = (look: Look, name: string, command: string, end: ShellEnd, ms: number) => {
  const { theme } = look;
  const { output, exit } = end;
  const exited = exit === 0 ? '' : exit === null ? 'stopped' : `exit ${exit}`;
  const aside = [exited, took(ms)]
    .filter((part) => part !== '')
    .map((part) => ` · ${part}`)
    .join('');
  const text = safe(output).trimEnd();
  const lines = text === '' ? [] : text.split('\n').map((line) => textRow(look, `  ${line.replaceAll('\t', '  ')}`, 2));
  const sign = exit === 0 ? theme.good('✓') : theme.bad('✗');
  return [lineRow(look, ''), callRow(look, name, command, aside, sign), ...clipped(look, lines, MAX_OUTPUT)];
};
