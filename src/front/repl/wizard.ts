import { markdownRows } from '../render/markdown.ts';
import { blank } from '../render/row.ts';
import { messageOf } from './commands/find.ts';
import { loadPi } from './pi.ts';
import { createView, type View } from './screen.ts';
import type { Choice, ReplOptions } from './types.ts';

export type WizardPort = {
  /** Vendors that want a key, and the variable that holds it. */
  readonly vendors: readonly { readonly name: string; readonly variable: string }[];
  /** Keeps a key in a file that only its owner reads; resolves with where. Rejects with a sentence. */
  readonly saveKey: (variable: string, key: string) => Promise<string>;
  /** The model of a local server that answers. */
  readonly findLocal: () => Promise<string | undefined>;
  /** A scripted model on this machine, to see what it is like. Absent where it is not installed. */
  readonly startDemo?: () => Promise<void>;
};

export type WizardEnd = 'ready' | 'left';

const WELCOME = `**Welcome.** There is no model to ask yet. Three ways to go on; nothing is sent anywhere before you do.`;

/** The first run, without any key: until there is a model to ask, or the person leaves. */
export const runWizard = async (options: ReplOptions, port: WizardPort): Promise<WizardEnd> => {
  const pi = await loadPi();
  const view = createView(pi, options, { getSuggestions: async () => null, applyCompletion: asTyped });
  const say = (markdown: string) => view.push([blank, ...markdownRows(markdown, view.look)]);
  const { promise: gone, resolve: leave } = Promise.withResolvers<undefined>();
  view.start({
    live: () => [],
    status: () => [],
    onKey: () => false,
    onPaste: (text) => text,
    onGone: () => leave(undefined),
  });
  say(WELCOME);
  try {
    for (;;) {
      const way = await Promise.race([view.choose('How do you want to begin?', waysOf(port)), gone]);
      if (way === undefined) return 'left';
      const ready = await take(way, view, port, say).catch((error: unknown) => void say(messageOf(error)));
      if (ready) return 'ready';
    }
  } finally {
    view.stop();
  }
};

const asTyped = (lines: string[], cursorLine: number, cursorCol: number) => ({ lines, cursorLine, cursorCol });

const waysOf = ({ startDemo }: WizardPort): readonly Choice[] => [
  { value: 'key', label: 'paste a key', about: 'Anthropic, OpenAI, OpenRouter, Gemini …' },
  {
    value: 'local',
    label: 'use a local server',
    about: 'Ollama, LM Studio, llama.cpp: no key, nothing leaves this machine',
  },
  ...(startDemo
    ? [{ value: 'demo', label: 'try the demo', about: 'a scripted model: free, offline, knows one job' }]
    : []),
];

/** True when there is a model to ask now. */
const take = async (way: string, view: View, port: WizardPort, say: (markdown: string) => void): Promise<boolean> => {
  if (way === 'key') return takeKey(view, port, say);
  if (way === 'local') {
    const model = await port.findLocal();
    say(model === undefined ? NO_SERVER : `Found **${model}**. It is used from now on.`);
    return model !== undefined;
  }
  await port.startDemo?.();
  return true;
};

const NO_SERVER =
  'No local server answers. Start one and come back here: `ollama serve` (port 11434), LM Studio (1234) or `llama-server` (8080), with a model loaded.';

const takeKey = async (view: View, port: WizardPort, say: (markdown: string) => void): Promise<boolean> => {
  const choices = port.vendors.map(({ name, variable }) => ({ value: variable, label: name, about: variable }));
  const variable = await view.choose('Whose key is it?', choices);
  if (variable === undefined) return false;
  const key = await view.askLine(`Paste the key (${variable}). It is shown to nobody.`, true);
  if (key === undefined || key === '') return false;
  say(`Kept in \`${await port.saveKey(variable, key)}\`, which only you can read.`);
  return true;
};
