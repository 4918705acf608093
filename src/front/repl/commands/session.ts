import { oneLine } from '../../render/safe.ts';
import { ago } from '../../render/units.ts';
import type { Host, SessionSummary } from '../host.ts';
import type { Choice, Command, CommandContext } from '../types.ts';

export const sessionCommands: readonly Command[] = [
  {
    name: 'clear',
    aliases: ['reset', 'new'],
    help: 'start a new session; this one is kept',
    run: async ({ host, show }) => show(await host.newSession()),
  },
  {
    name: 'resume',
    args: '[id]',
    help: 'go back to another session',
    complete: async (host) => (await host.listSessions()).map((session) => sessionChoice(host, session)),
    run: resumeSession,
  },
  {
    name: 'fork',
    help: 'go on in a copy; this session stays as it is',
    run: async ({ host, show, say }) => {
      const first = host.session().id;
      const copy = await host.fork();
      show(copy);
      say(`This is the copy ${copy.id}; ${first} stays as it is.`);
    },
  },
  {
    name: 'compact',
    args: '[what to keep]',
    help: 'summarise older messages to make room',
    run: async ({ host, say }, args) => say(await host.compact(args)),
  },
  {
    name: 'export',
    args: '[file]',
    help: 'write the conversation to a file',
    run: async ({ host, say }, args) => say(await host.exportSession(args === '' ? undefined : args)),
  },
  { name: 'copy', help: 'the last answer, to the clipboard', run: copyAnswer },
  { name: 'init', help: 'draft AGENTS.md for this folder', run: ({ host, send }) => send(host.init()) },
  { name: 'quit', aliases: ['exit'], help: 'leave', run: ({ leave }) => leave() },
];

async function resumeSession({ host, choose, say, show, time }: CommandContext, args: string): Promise<void> {
  if (args !== '') return show(await host.resume(args));
  const choices = async (all: boolean) =>
    (await host.listSessions(all))
      .filter(({ id }) => id !== host.session().id)
      .map((session) => sessionChoice(host, session, time(), all));
  const here = await choices(false);
  const shown = here.length > 0 ? here : await choices(true);
  if (shown.length === 0) return say('There is no other session.');
  const other = { name: 'all folders', choices: () => choices(true) };
  const id = await choose('Resume', shown, here.length > 0 ? { other } : {});
  if (id !== undefined) show(await host.resume(id));
}

const sessionChoice = (host: Host, session: SessionSummary, now?: number, all = false): Choice => ({
  value: session.id,
  label: oneLine(session.title, 60) || session.id,
  ...(now === undefined ? {} : { about: [ago(now - session.time), ...(all ? [session.cwd] : [])].join(' · ') }),
  preview: () => host.preview(session.id),
});

async function copyAnswer({ host, copy, say }: CommandContext): Promise<void> {
  const text = host
    .session()
    .entries()
    .flatMap((entry) => (entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : []))
    .map(({ content }) =>
      content
        .flatMap((part) => (part.type === 'text' ? [part.text] : []))
        .join('\n')
        .trim(),
    )
    .findLast((said) => said !== '');
  say(text === undefined ? 'There is no answer yet.' : await copy(text));
}
