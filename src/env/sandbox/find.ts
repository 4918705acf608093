import { readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isInside } from '../inside.ts';
import { isExecutable } from '../processes/shell.ts';

/**
 * A program by the user's PATH. Folders that the workspace can fill are left out: what is found there would build, or
 * pretend to build, the wall around itself.
 */
export const findProgram = (name: string, path: string, untrusted: readonly string[]): string | undefined =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !untrusted.some((area) => isInside(area, folder)))
    .map((folder) => join(folder, name))
    .find(isExecutable);

const INSTALL: readonly (readonly [RegExp, string])[] = [
  [/debian|ubuntu/, 'sudo apt install bubblewrap'],
  [/fedora|rhel|centos/, 'sudo dnf install bubblewrap'],
  [/arch/, 'sudo pacman -S bubblewrap'],
  [/suse/, 'sudo zypper install bubblewrap'],
  [/alpine/, 'sudo apk add bubblewrap'],
  [/nixos/, 'add pkgs.bubblewrap to environment.systemPackages'],
  [/void/, 'sudo xbps-install bubblewrap'],
  [/gentoo/, 'sudo emerge sys-apps/bubblewrap'],
];

/** The command that installs bubblewrap, by the text of `/etc/os-release`; pure. */
export const installCommand = (osRelease: string): string => {
  const names = osRelease.match(/^ID(?:_LIKE)?=.*$/gm)?.join(' ') ?? '';
  return INSTALL.find(([system]) => system.test(names))?.[1] ?? "install bubblewrap with your system's package manager";
};

export const readSystem = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};

/** Kernel settings that say who may make namespaces. */
export type KernelSettings = { readonly appArmor: string; readonly clone: string; readonly most: string };

export const readKernelSettings = (): KernelSettings => ({
  appArmor: readSystem('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
  clone: readSystem('/proc/sys/kernel/unprivileged_userns_clone'),
  most: readSystem('/proc/sys/user/max_user_namespaces'),
});

/** What to do where bubblewrap is there and can't start, by what it said; pure. Never: turn a protection off. */
export const explainFailure = (said: string, program: string, kernel: KernelSettings): string => {
  if (/\/proc/.test(said) && /mount/i.test(said)) {
    return 'This container covers parts of /proc, so no sandbox can be made in it: run rein outside of it.';
  }
  if (!/namespace|uid map|loopback|Permission denied|not permitted/i.test(said)) return '';
  if (kernel.appArmor === '1') {
    return (
      `AppArmor lets no unnamed program make user namespaces here. Give ${program} a profile: write the one ` +
      'in docs/sandbox.md ("Ubuntu 24.04") to /etc/apparmor.d/bwrap, then `sudo apparmor_parser -r /etc/apparmor.d/bwrap`.'
    );
  }
  if (kernel.clone === '0' || kernel.most === '0') {
    const name = kernel.clone === '0' ? 'kernel.unprivileged_userns_clone' : 'user.max_user_namespaces';
    return `This kernel lets only root make user namespaces (${name} is 0): ask who runs this machine to allow it.`;
  }
  return 'This system forbids user namespaces, as most containers do: run rein outside of the container, or in a virtual machine.';
};
