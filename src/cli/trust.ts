/** The one question before a session: may this folder's own configuration be in effect? */
import { createInterface } from 'node:readline/promises';
import { oneLine } from '../front/render/safe.ts';
import { describeProject, type Project } from '../harness/index.ts';

/** No is the answer to everything but a yes: an end of input and an interrupt too. */
export async function askTrust(project: Project): Promise<boolean> {
  const lines = describeProject(project).map((line) => `  ${oneLine(line, 400)}`);
  process.stdout.write(
    `This folder brings its own configuration for agents:\n${lines.join('\n')}\n` +
      `It would be in effect here: ${oneLine(project.root, 400)}\n`,
  );
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  const answer = await Promise.race([reader.question('Trust it? [y/N] '), closed]);
  reader.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
