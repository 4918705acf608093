import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyAddress, type Resolve, vetUrl } from '../../src/env/addresses.ts';

const noResolver: Resolve = () => Promise.reject(new Error('nothing may be resolved'));
const vet = (url: string, resolve = noResolver, allowPrivate: readonly string[] = []) =>
  vetUrl(new URL(url), { resolve, allowPrivate });
const refused = expect.objectContaining({ refused: expect.any(String) });

test.each([
  ['8.8.8.8', 'public'],
  ['126.255.255.255', 'public'],
  ['128.0.0.0', 'public'],
  ['172.15.255.255', 'public'],
  ['172.32.0.0', 'public'],
  ['100.63.255.255', 'public'],
  ['2606:4700::1111', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['0.0.0.0', 'loopback'],
  ['0.1.2.3', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['169.254.1.1', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['100.64.0.1', 'shared'],
  ['198.18.0.1', 'reserved'],
  ['203.0.113.9', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['255.255.255.255', 'reserved'],
  ['::', 'loopback'],
  ['::1', 'loopback'],
  ['::127.0.0.1', 'translated'],
  ['::ffff:127.0.0.1', 'translated'],
  ['::ffff:8.8.8.8', 'translated'],
  ['::ffff:a9fe:a9fe', 'translated'],
  ['64:ff9b::a9fe:a9fe', 'translated'],
  ['64:ff9b:1::1', 'translated'],
  ['2002:7f00:1::', 'translated'],
  ['2001:0:4136:e378::', 'translated'],
  ['2001:db8::1', 'reserved'],
  ['fd00:ec2::254', 'metadata'],
  ['fc00::1', 'private'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
  ['4000::1', 'reserved'],
  ['not an address', 'reserved'],
])('E35 %s is %s', (address, kind) => {
  expect(classifyAddress(address)).toBe(kind);
});

test.each([
  'http://169.254.169.254/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://0xa9.254.0251.254/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://0/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:7f00:1::]/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://localhost../',
  'http://a.localhost/',
  'http://localhost.localdomain/',
  'http://ip6-localhost/',
  'http://metadata.google.internal/',
  'http://printer.local/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://%6c%6f%63alhost/',
  'file:///etc/hostname',
  'gopher://127.0.0.1/',
  'data:text/html,x',
  'ftp://8.8.8.8/',
  'javascript:1',
])('E35 %s is refused without a look-up', async (url) => {
  expect(await vet(url)).toEqual(refused);
});

test('E36 a name is judged by every address it has, and the caller gets what was judged', async () => {
  const name = 'http://docs.example.com/';
  expect(await vet(name, async () => ['93.184.216.34', '2606:4700::1'])).toEqual({
    addresses: ['93.184.216.34', '2606:4700::1'],
  });
  expect(await vet(name, async () => ['93.184.216.34', '127.0.0.1'])).toEqual(refused);
  expect(await vet(name, async () => ['::ffff:10.0.0.1'])).toEqual(refused);
  expect(await vet(name, async () => [])).toEqual(refused);
});

test('E17 user info is refused, and a backslash or a longer name changes nothing', async () => {
  expect(await vet('https://docs.example.com@evil.test/')).toEqual(refused);
  expect(await vet('https://user:key@docs.example.com/')).toEqual(refused);
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    return ['93.184.216.34'];
  };
  await vet('https://docs.example.com:8443\\@evil.test/', resolve);
  await vet('https://docs.example.com.evil.test/?q=SECRET', resolve);
  expect(asked).toEqual(['docs.example.com', 'docs.example.com.evil.test']);
});

test('only what the user names is opened, on the port they name', async () => {
  expect(await vet('http://127.0.0.1:8080/', noResolver, ['127.0.0.1:8080'])).toEqual({ addresses: ['127.0.0.1'] });
  expect(await vet('http://127.0.0.1:8081/', noResolver, ['127.0.0.1:8080'])).toEqual(refused);
  expect(await vet('http://127.0.0.1:8081/', noResolver, ['127.0.0.1'])).toEqual({ addresses: ['127.0.0.1'] });
  expect(await vet('http://[::1]/', noResolver, ['[::1]:80'])).toEqual({ addresses: ['::1'] });
  expect(await vet('http://wiki.corp/', async () => ['10.0.0.7'], ['wiki.corp'])).toEqual({ addresses: ['10.0.0.7'] });
  expect(await vet('http://not-wiki.corp/', async () => ['10.0.0.7'], ['wiki.corp'])).toEqual(refused);
  expect(await vet('http://u:p@wiki.corp/', async () => ['10.0.0.7'], ['wiki.corp'])).toEqual(refused);
});

test('E35 every number spelling of a private address is refused (property)', async () => {
  const octet = fc.nat(255);
  const privates = fc.oneof(
    fc.tuple(fc.constant(127), octet, octet, octet),
    fc.tuple(fc.constant(10), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  );
  await fc.assert(
    fc.asyncProperty(privates, async ([a, b, c, d]) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const octal = [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.');
      const short = `${a}.${b}.${c * 256 + d}`;
      const hosts = [`${number}`, `0x${number.toString(16)}`, octal, short, `[::ffff:${a}.${b}.${c}.${d}]`];
      for (const host of hosts) expect(await vet(`http://${host}/`)).toEqual(refused);
    }),
  );
});
