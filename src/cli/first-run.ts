/** What a first run without any model can do about it. */
import { join } from 'node:path';
import type { ReplOptions } from '../front/repl/types.ts';
import { runWizard } from '../front/repl/wizard.ts';
import { type Harness, keysOf, saveKey } from '../harness/index.ts';
import type { Environment } from './environment.ts';

/** The scripted server of the package, where it is installed. */
type Demo = {
  readonly tetris: () => unknown;
  readonly startServer: (scenario: unknown) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>;
};

export type FirstRun = {
  /** With what was chosen; undefined where the person left. */
  readonly environment: Environment;
  /** Said when the session is open. */
  readonly note?: string;
  readonly close: () => Promise<void>;
};

export async function runFirst(
  options: ReplOptions,
  harness: Harness,
  environment: Environment,
): Promise<FirstRun | undefined> {
  let first: FirstRun = { environment, close: async () => {} };
  const demo = await loadDemo();
  const end = await runWizard(options, {
    vendors: Object.entries(harness.models.catalog.vendors).flatMap(([name, vendor]) => {
      const [variable] = keysOf(name, vendor);
      return variable === undefined ? [] : [{ name, variable }];
    }),
    saveKey: async (variable, key) => {
      await saveKey(environment.configFolder, variable, key);
      return join(environment.configFolder, 'credentials.json');
    },
    findLocal: async () => {
      const found = await harness.models.find();
      return typeof found === 'string' ? found : undefined;
    },
    ...(demo
      ? {
          startDemo: async () => {
            first = await startDemo(demo, environment);
          },
        }
      : {}),
  });
  return end === 'left' ? undefined : first;
}

async function startDemo(demo: Demo, environment: Environment): Promise<FirstRun> {
  const server = await demo.startServer(demo.tetris());
  const variables = {
    ...environment.variables,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'scripted',
    NO_PROXY: '127.0.0.1',
  };
  return {
    environment: { ...environment, variables, model: 'anthropic/scripted' },
    note: 'This model is a script and knows one job. Ask it: Write a Tetris game in Python in the file tetris.py',
    close: server.close,
  };
}

async function loadDemo(): Promise<Demo | undefined> {
  try {
    const demo: Demo = await import(new URL('../lib/testing.js', import.meta.url).href);
    return demo;
  } catch {
    return undefined;
  }
}
