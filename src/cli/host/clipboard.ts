/** The clipboard of this machine, by whichever program is there for it. */
import { ask } from './programs.ts';

type Variables = Readonly<Record<string, string>>;

/** Milliseconds, and bytes of an image. */
const PATIENCE = 3000;
const MOST = 32 << 20;

export async function copyText(text: string, variables: Variables): Promise<boolean> {
  return (await first(writers(variables), variables, { input: text, most: 0 })) !== undefined;
}

/** The bytes of the image that lies there. */
export const pastedImage = (variables: Variables): Promise<Buffer | undefined> =>
  first(readers(variables), variables, { most: MOST });

const writers = (variables: Variables) => [
  ...(process.platform === 'darwin' ? [['pbcopy']] : []),
  ...(variables['WAYLAND_DISPLAY'] ? [['wl-copy']] : []),
  ...(variables['DISPLAY'] ? [['xclip', '-selection', 'clipboard']] : []),
];

const readers = (variables: Variables) => [
  ...(process.platform === 'darwin' ? [['pngpaste', '-']] : []),
  ...(variables['WAYLAND_DISPLAY'] ? [['wl-paste', '--type', 'image/png']] : []),
  ...(variables['DISPLAY'] ? [['xclip', '-selection', 'clipboard', '-target', 'image/png', '-out']] : []),
];

async function first(
  all: readonly (readonly string[])[],
  env: Variables,
  how: { readonly input?: string; readonly most: number },
): Promise<Buffer | undefined> {
  for (const argv of all) {
    const output = await ask({ argv, env, within: PATIENCE, ...how });
    if (output && (how.most === 0 || output.length > 0)) return output;
  }
  return undefined;
}
