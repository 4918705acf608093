import { lstatSync, readFileSync } from 'node:fs';

/**
 * Sockets that other programs listen on. A read-only mount does not stop anybody from talking to one, and behind it may
 * be a daemon that does what it is told outside of every wall (docker, a session bus, an agent of keys).
 */
export const findSockets = (): readonly string[] => {
  const paths = new Set<string>();
  for (const line of listSockets().split('\n')) {
    const path = /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1];
    if (path !== undefined && isSocket(path)) paths.add(path);
  }
  return [...paths];
};

/** The path, if any, is what follows the seventh field; it may hold blanks. */
const listSockets = (): string => {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return '';
  }
};

const isSocket = (path: string): boolean => {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
};
