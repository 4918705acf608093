import { createBubblewrap } from './bubblewrap.ts';
import { findProgram, installCommand, readSystem } from './find.ts';
import { createSeatbelt } from './seatbelt.ts';
import { testSandbox } from './self-test.ts';
import type { Report, Sandbox, Walls } from './types.ts';

export { findGitFolders } from './git-folders.ts';
export type { Options, Report, Sandbox, Walls } from './types.ts';

/** Why there is no sandbox, and what to do about it: one line for a person. */
export type Missing = { readonly missing: string };

export type System = { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv };

export type Found = {
  readonly sandbox: Sandbox;
  /** Only after a good report is it a wall: a program of the right name proves nothing. */
  readonly selfTest: () => Promise<Report>;
};

/** A sandbox: one file that makes it out of a program and walls, one line here. */
const KINDS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, (program: string, walls: Walls) => Sandbox]>>> =
  {
    linux: ['bwrap', createBubblewrap],
    darwin: ['sandbox-exec', createSeatbelt],
  };

export const findSandbox = (walls: Walls, { platform, env }: System): Found | Missing => {
  if (walls.root === '/') return { missing: 'The workspace is /, so nothing is outside of it: start in a folder.' };
  const kind = KINDS[platform];
  if (!kind) return { missing: `There is no sandbox for ${platform}.` };
  const [name, make] = kind;
  const program = findProgram(name, env['PATH'] ?? '', [walls.root, walls.temp, ...(walls.writable ?? [])]);
  if (program === undefined) {
    const install = platform === 'linux' ? installCommand(readSystem('/etc/os-release')) : 'it belongs to macOS';
    return { missing: `No ${name} on PATH (${install}).` };
  }
  const create = (inner: Walls): Sandbox => make(program, inner);
  return { sandbox: create(walls), selfTest: () => testSandbox(create, walls, env) };
};
