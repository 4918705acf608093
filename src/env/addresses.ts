import { BlockList, isIP } from 'node:net';

/** What an address belongs to. Only `public` may be fetched from without the user's word. */
export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'shared'
  | 'multicast'
  | 'translated'
  | 'reserved';

/** Every address of a name. Rejects like `dns.lookup` when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export type Vetted =
  /** The addresses to connect to, and no others. */
  | { readonly addresses: readonly string[] }
  /** One line: what the host is and why it is refused. */
  | { readonly refused: string };

type Range = readonly [network: string, bits: number, kind: AddressKind];

/** IANA's special-purpose registry (RFC 6890 and followers) and the metadata services. The first match counts. */
const V4: readonly Range[] = [
  ['169.254.169.254', 32, 'metadata'],
  ['169.254.170.2', 32, 'metadata'],
  ['100.100.100.200', 32, 'metadata'],
  ['192.0.0.192', 32, 'metadata'],
  ['168.63.129.16', 32, 'metadata'],
  ['127.0.0.0', 8, 'loopback'],
  ['0.0.0.0', 8, 'loopback'],
  ['10.0.0.0', 8, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['169.254.0.0', 16, 'link-local'],
  ['100.64.0.0', 10, 'shared'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'translated'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

/** Addresses that carry an IPv4 one inside are `translated`: what they reach depends on the network. */
const V6: readonly Range[] = [
  ['fd00:ec2::254', 128, 'metadata'],
  ['fd20:ce::254', 128, 'metadata'],
  ['::', 128, 'loopback'],
  ['::1', 128, 'loopback'],
  ['::', 96, 'translated'],
  ['::ffff:0:0', 96, 'translated'],
  ['::ffff:0:0:0', 96, 'translated'],
  ['64:ff9b::', 96, 'translated'],
  ['64:ff9b:1::', 48, 'translated'],
  ['2001::', 32, 'translated'],
  ['2002::', 16, 'translated'],
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['3fff::', 20, 'reserved'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'multicast'],
  ['2000::', 3, 'public'],
  ['::', 0, 'reserved'],
];

/** The kind of an address in canonical spelling, as resolvers and `URL` give it. What is no address is `reserved`. */
export const classifyAddress = (address: string): AddressKind => {
  const [bare = ''] = address.split('%');
  const version = isIP(bare);
  if (version === 0) return 'reserved';
  // One list per range: an IPv6 rule for mapped addresses would match every plain IPv4 one in a common list.
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const found = (version === 4 ? V4 : V6).find(([network, bits]) => {
    const list = new BlockList();
    list.addSubnet(network, bits, family);
    return list.check(bare, family);
  });
  return found?.[2] ?? 'public';
};

/** The host of a URL without brackets and trailing dots; `URL` has already undone the other spellings (0x7f.1, 017…). */
export const hostOf = (url: URL): string => {
  const host = url.hostname.replace(/\.+$/, '').toLowerCase();
  return host.startsWith('[') ? host.slice(1, -1) : host;
};

/** Names that mean this machine or its network whatever a resolver says. */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$|^ip6-(localhost|loopback)$/;

export type VetOptions = {
  readonly resolve: Resolve;
  /** `host` or `host:port` that the user's own settings open, exactly as a URL spells them. */
  readonly allowPrivate?: readonly string[];
};

/**
 * Whether `url` may be connected to, and where. The literal is judged, and so is every address that a name resolves to;
 * the caller connects to what is returned here, so a second look-up can't change the answer.
 */
export const vetUrl = async (url: URL, { resolve, allowPrivate = [] }: VetOptions): Promise<Vetted> => {
  const refused = refuseForm(url);
  if (refused !== undefined) return { refused };
  const host = hostOf(url);
  const allowed = isAllowed(url, host, allowPrivate);
  if (!allowed && LOCAL_NAME.test(host)) return { refused: `${host} is a local name` };
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) return { refused: `${host} has no address` };
  const bad = allowed ? undefined : addresses.find((address) => classifyAddress(address) !== 'public');
  if (bad === undefined) return { addresses };
  return { refused: `${bad === host ? host : `${host} (${bad})`} is a ${classifyAddress(bad)} address` };
};

/** Why the form of an address alone rules it out. */
export const refuseForm = (url: URL): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol} is not http or https`;
  if (url.username !== '' || url.password !== '') return 'an address with a user name or password is never used';
  return hostOf(url) === '' ? 'it names no host' : undefined;
};

const isAllowed = (url: URL, host: string, allowPrivate: readonly string[]): boolean => {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const named = host.includes(':') ? `[${host}]` : host;
  return allowPrivate.some((entry) => [host, named, `${named}:${port}`].includes(entry.toLowerCase()));
};

/** What the machine's own resolver says: hosts file, search domains and all. */
export const resolveName: Resolve = async (name) => {
  const { lookup } = await import('node:dns/promises');
  return (await lookup(name, { all: true })).map(({ address }) => address);
};
