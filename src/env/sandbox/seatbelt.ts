import { planMounts } from './mounts.ts';
import { foldersInside } from './places.ts';
import type { Options, Sandbox, Walls } from './types.ts';
import { watchNames } from './watch.ts';

/** macOS's own. Apple calls it deprecated and still uses it; there is no other that needs no installation. */
export const createSeatbelt = (program: string, walls: Walls): Sandbox => ({
  kind: 'seatbelt',
  program,
  wrap: (launch, options) => {
    const check = watchNames(walls, options);
    const argv = [program, '-p', seatbeltProfile(placesOf(walls, options), options), '--', ...launch.argv];
    return { ...launch, argv, env: { ...launch.env, TMPDIR: walls.temp }, ended: async () => check() };
  },
  hostPath: (path) => path,
  release: () => {},
  close: () => {},
});

/** Real paths, by what may be done with them. */
export type Places = {
  readonly write: readonly string[];
  readonly protect: readonly string[];
  /** Folders that must keep their name. */
  readonly pins: readonly string[];
  readonly hide: readonly string[];
  /** Readable again inside of what is hidden. */
  readonly read: readonly string[];
  readonly doors: readonly string[];
};

const placesOf = (walls: Walls, options: Options): Places => {
  const { mounts } = planMounts(walls, options);
  const by = (how: string) => mounts.filter((mount) => mount.how === how).map(({ path }) => path);
  const write = by('write');
  const pins = by('protect').flatMap((path) => write.flatMap((area) => foldersInside(area, path)));
  const shown = [...write, ...by('read')];
  return {
    write,
    protect: by('protect'),
    pins: [...new Set(pins)],
    hide: by('hide'),
    read: shown,
    doors: walls.doors ?? [],
  };
};

/** Services that ordinary programs ask: users and groups, logs, preferences, time. None of them starts a program. */
const SERVICES = [
  ...['com.apple.system.opendirectoryd.libinfo', 'com.apple.system.opendirectoryd.membership'],
  ...['com.apple.system.logger', 'com.apple.logd', 'com.apple.system.notification_center'],
  ...['com.apple.cfprefsd.daemon', 'com.apple.cfprefsd.agent', 'com.apple.bsd.dirhelper', 'com.apple.diagnosticd'],
];
/** Names and certificates, for what may use the network. */
const NETWORK_SERVICES = [
  ...['com.apple.SystemConfiguration.DNSConfiguration', 'com.apple.SystemConfiguration.configd'],
  ...[
    'com.apple.dnssd.service',
    'com.apple.mDNSResponder',
    'com.apple.networkd',
    'com.apple.trustd',
    'com.apple.trustd.agent',
  ],
];

/** The profile's text; pure. What no line allows is denied; of two lines that fit, the later wins. */
export const seatbeltProfile = (places: Places, { network, readonly }: Options): string =>
  [
    '(version 1)',
    '(deny default)',
    '(allow process-exec)',
    '(allow process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow pseudo-tty)',
    '(allow ipc-posix-sem)',
    '(allow ipc-posix-shm*)',
    '(allow user-preference-read)',
    '(allow system-socket (socket-domain AF_UNIX))',
    rule('allow mach-lookup', [...SERVICES, ...(network ? NETWORK_SERVICES : [])].map(service)),
    '(allow file-read*)',
    rule('allow file-write* file-ioctl', DEVICES),
    ...(readonly ? [] : [rule('allow file-write*', places.write.map(below))]),
    rule('deny file-read* file-write*', places.hide.map(below)),
    rule('allow file-read*', places.read.map(below)),
    ...(readonly ? [] : [rule('allow file-write*', insideOf(places.write, places.hide).map(below))]),
    rule('deny file-read* file-write*', insideOf(places.hide, places.read).map(below)),
    rule('deny file-write*', places.protect.map(anyCase)),
    rule('deny file-write-unlink', places.pins.map(exactly)),
    ...(network ? ['(allow network*)', '(allow system-socket)'] : []),
    // A socket of another program is a way out with the network open, too.
    '(deny network-outbound (remote unix-socket))',
    rule(
      'allow network-outbound',
      [...places.doors, ...places.write].map((path) => `(remote unix-socket ${below(path)})`),
    ),
    rule(
      'allow network-bind',
      places.write.map((path) => `(local unix-socket ${below(path)})`),
    ),
  ]
    .filter((line) => line !== '')
    .join('\n');

const DEVICES = ['null', 'zero', 'tty', 'stdout', 'stderr', 'dtracehelper', 'ptmx']
  .map((name) => `(literal "/dev/${name}")`)
  .concat('(regex #"^/dev/fd/[0-9]+$")', '(regex #"^/dev/ttys[0-9]+$")');

const rule = (head: string, filters: readonly string[]): string =>
  filters.length === 0 ? '' : `(${head}\n  ${filters.join('\n  ')})`;

const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const below = (path: string): string => `(subpath ${quote(path)})`;
const exactly = (path: string): string => `(literal ${quote(path)})`;
const service = (name: string): string => `(global-name ${quote(name)})`;

const insideOf = (paths: readonly string[], outer: readonly string[]): readonly string[] =>
  paths.filter((path) => outer.some((each) => path.startsWith(`${each}/`)));

/** On most Macs `.REIN` and `.rein` are one folder. A character that a pattern can't spell stands for any: that forbids more. */
const anyCase = (path: string): string => `(regex #"^${casePattern(path)}(/.*)?$")`;

export const casePattern = (path: string): string =>
  path.replace(/[^\x20-\x7e]+/g, '\0').replace(/[^/]/g, (sign) => {
    if (sign === '\0') return '.*';
    if (/[a-z]/i.test(sign)) return `[${sign.toLowerCase()}${sign.toUpperCase()}]`;
    if (sign === '.') return '[.]';
    return /[0-9_-]/.test(sign) ? sign : '.';
  });
