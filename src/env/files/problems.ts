/** What went wrong with a file, in words that say what to do. */

/** An expected end: its message is for the model as it stands. */
export const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'Refusal' });

/** The words for a refusal or a failed system call; undefined for anything else, which is a bug and flies on. */
export const explain = (error: unknown, path: string): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'Refusal') return error.message;
  const code = codeOf(error);
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  return WORDS[code]?.(path) ?? `${path}: ${error.message}`;
};

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const WORDS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no ${path}. Look with list_files.`,
  ENOTDIR: (path) => `a part of ${path} is a file, not a folder. Look with list_files.`,
  EISDIR: (path) => `${path} is a folder, not a file.`,
  EACCES: (path) => `no permission for ${path}.`,
  EPERM: (path) => `the system does not permit that for ${path}.`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  ELOOP: (path) => `the links at ${path} go round in a circle.`,
  ENAMETOOLONG: (path) => `the name is too long for the file system: ${path.slice(0, 80)}…`,
  ENOSPC: (path) => `the disk is full. ${path} was not changed.`,
  EDQUOT: (path) => `the disk quota is used up. ${path} was not changed.`,
  EFBIG: (path) => `that is too large for the file system. ${path} was not changed.`,
  EMFILE: () => 'too many files are open. Try again.',
};
