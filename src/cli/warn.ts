/** A line of the program's own on stderr. */
export const warn = (text: string): void => {
  process.stderr.write(`rein: ${text}\n`);
};
