/** What a POSIX shell on Windows needs to be told; pure, so that it is tested everywhere. */

/** `> nul` makes a file under bash that Windows can't delete. */
export const writesToNul = (command: string): boolean =>
  /(?:^|[^\w'"])(?:\d|&)?>{1,2}&?\s*nul(?=$|[\s;&|)])/i.test(command);

/** No shell in between, so that no path rule turns `/T` into a folder. */
export const windowsKill = (pid: number): readonly string[] => ['taskkill.exe', '/PID', String(pid), '/T', '/F'];

/** `C:\x` as the shell at hand spells it; what is no such path stays as it is. */
export const shellPath = (path: string, shell: 'wsl' | 'msys'): string =>
  path.replace(/^([A-Za-z]):[\\/](.*)$/s, (_, drive: string, rest: string) => {
    const root = shell === 'wsl' ? '/mnt' : '';
    return `${root}/${drive.toLowerCase()}/${rest.replaceAll('\\', '/')}`;
  });
