import type { Answering } from './answering.ts';
import type { Attachments } from './attachments.ts';
import type { History } from './history.ts';
import type { View } from './screen.ts';
import type { Shell } from './shell.ts';
import { type Desk, runCommand } from './submit.ts';

export type Submission = {
  /** Takes what was typed: an answer, a shell line, a command, or a prompt for `send`. */
  readonly submit: (text: string, send: Desk['send']) => Promise<void>;
  /** Earlier ones, oldest first. */
  readonly prompts: () => readonly string[];
};

export type SubmissionOptions = {
  readonly view: View;
  readonly answering: Answering;
  readonly shell: Shell;
  readonly attachments: Attachments;
  readonly desk: Desk;
  readonly history: History;
  readonly past: readonly string[];
  readonly refresh: () => void;
};

export const createSubmission = (options: SubmissionOptions): Submission => {
  const { view, answering, shell, attachments, desk, history, past, refresh } = options;
  const prompts = [...past];
  for (const text of past.slice(-100)) view.editor.addToHistory(text);
  const submit: Submission['submit'] = async (text, send) => {
    if (answering.submit(text) || text.trim() === '') return;
    view.editor.addToHistory(text);
    view.editor.setText('');
    prompts.push(text);
    void history.add(desk.host.session().cwd, text);
    if (shell.take(text)) return;
    const how = await runCommand(desk, text);
    if (how === 'unknown') view.editor.setText(text);
    if (how === 'prompt') send(attachments.contentOf(text));
    refresh();
  };
  return { submit, prompts: () => prompts };
};
