import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobOf, freshPublicKey } from '../../../testing/ssh-keys.ts';
import { type PublicKey, readPublicKey } from './public-key.ts';

/** Keys and the fingerprints that `ssh-keygen -l` of OpenSSH 9.2 printed for them. */
interface Recorded {
  readonly line: string;
  readonly sha256: string;
  readonly md5: string;
}

const file = new URL('../../../testing/fixtures/ssh-keys.json', import.meta.url);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded[];
const isWeak = ({ line }: Recorded) => line.startsWith('ssh-dss') || line.includes('rsa 1024');
const strong = recorded.filter((key) => !isWeak(key));
const [first] = strong;
const good = first?.line ?? '';

function read(text: string): PublicKey {
  const reading = readPublicKey(text);
  if (reading.key === null) throw new Error(reading.fault);
  return reading.key;
}

function faultOf(text: string): string {
  const reading = readPublicKey(text);
  return reading.key === null ? reading.fault : 'none';
}

const shownNames = {
  ed25519: 'ED25519',
  ecdsa: 'ECDSA',
  rsa: 'RSA',
  'sk-ed25519': 'ED25519-SK',
  'sk-ecdsa': 'ECDSA-SK',
};

const lineOf = (name: string, ...fields: (Buffer | string)[]): string =>
  `${name} ${blobOf(name, ...fields).toString('base64')}`;

describe('a key that ssh-keygen made', () => {
  it('has one of all types and sizes', () => {
    const kinds = strong.map(({ line }) => read(line)).map(({ type, bits }) => `${type} ${bits}`);
    expect(kinds).toEqual([
      'ed25519 256',
      'ecdsa 256',
      'ecdsa 384',
      'ecdsa 521',
      'rsa 2048',
      'rsa 3072',
      'rsa 4096',
      'sk-ed25519 256',
      'sk-ecdsa 256',
    ]);
  });

  it.each(strong)('has the fingerprints that ssh-keygen shows: $sha256', ({ line, sha256, md5 }) => {
    const key = read(`${line}\n`);
    const tell = (fingerprint: string) =>
      `${key.bits} ${fingerprint} ${key.comment || 'no comment'} (${shownNames[key.type]})`;
    expect([key.line, tell(key.sha256), tell(key.md5)]).toEqual([line, sha256, md5]);
  });

  it.each(recorded.filter(isWeak))('is refused if it is too weak: $sha256', ({ line }) => {
    expect(faultOf(line)).toMatch(
      /^(RSA keys need 2048 bits or more; this one has 1024|A public key begins with)/,
    );
  });
});

describe('the line of a public key', () => {
  it('may have any blanks around its parts, and a comment of several words', () => {
    const [name, encoded] = good.split(' ');
    expect(read(`  ${name}\t ${encoded}   two  words \r\n`)).toMatchObject({
      line: `${name} ${encoded} two  words`,
      comment: 'two  words',
    });
    expect(read(`${name} ${encoded}`)).toMatchObject({ line: `${name} ${encoded}`, comment: '' });
  });

  it.each(['\n', '\r', '\0', '\x0b', '\x1b', '\x7f', '\x85', '\u2028', '\u2029'])(
    'is refused with a line break: %j',
    (mark) => {
      expect(faultOf(`${good}${mark}ssh-rsa AAAA`)).toMatch(/one line/);
    },
  );

  it('is refused with options of authorized_keys before the type', () => {
    expect(faultOf(`command="id" ${good}`)).toMatch(/begins with its type/);
  });
});

describe('the binary part of a public key', () => {
  const rsa = (e: Buffer, n: Buffer) => lineOf('ssh-rsa', e, n);
  const e = Buffer.from([1, 0, 1]);
  const n = Buffer.concat([Buffer.from([0, 0x80]), randomBytes(254), Buffer.from([1])]);

  it('of RSA has as many bits as its modulus', () => {
    expect(read(rsa(e, n)).bits).toBe(2048);
    expect(faultOf(rsa(e, Buffer.concat([Buffer.from([0x7f]), n.subarray(2)])))).toMatch(/has 2047/);
    const huge = Buffer.concat([Buffer.from([1]), Buffer.alloc(2047), Buffer.from([1])]);
    expect(faultOf(rsa(e, huge))).toMatch(/16384 bits at most; this one has 16385/);
  });

  const ecdsa = strong.find(({ line }) => line.startsWith('ecdsa-sha2-nistp256'))?.line ?? '';
  const point = Buffer.from(ecdsa.split(' ')[1] ?? '', 'base64').subarray(-65);
  const hybrid = Buffer.from(point);
  hybrid[0] = 6 + ((hybrid.at(-1) ?? 0) & 1);

  it('of ECDSA must contain its curve and a point', () => {
    expect(read(lineOf('ecdsa-sha2-nistp256', 'nistp256', point)).bits).toBe(256);
  });

  const even = Buffer.from(n);
  even[even.length - 1] = 2;

  it.each([
    ['a negative modulus', rsa(e, n.subarray(1))],
    ['a padded modulus', rsa(e, Buffer.concat([Buffer.alloc(1), n]))],
    ['no modulus', rsa(e, Buffer.alloc(0))],
    ['an even modulus', rsa(e, even)],
    ['an exponent of one', rsa(Buffer.from([1]), n)],
    ['something after the key', lineOf('ssh-ed25519', randomBytes(32), 'more')],
    ['too few bytes', lineOf('ssh-ed25519', randomBytes(31))],
    ['another type than it says', `ssh-ed25519 ${blobOf('ssh-ed25518', randomBytes(32)).toString('base64')}`],
    ['another curve than it says', lineOf('ecdsa-sha2-nistp256', 'nistp384', point)],
    ['a hybrid point', lineOf('ecdsa-sha2-nistp256', 'nistp256', hybrid)],
    [
      'a point beside the curve',
      lineOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)])),
    ],
    ['a compressed point', lineOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.alloc(33, 2))],
    ['no application', lineOf('sk-ssh-ed25519@openssh.com', randomBytes(32), '')],
    ['base64 of URLs', lineOf('ssh-ed25519', Buffer.alloc(32, 0xff)).replaceAll('/', '_')],
    ['base64 without its end', good.split(' ').slice(0, 2).join(' ').slice(0, -2)],
    ['nothing', 'ssh-ed25519'],
  ])('is refused with %s', (_, line) => {
    expect(faultOf(line)).not.toBe('none');
  });
});

describe('a private key', () => {
  const pem = (format: 'pkcs1' | 'pkcs8') =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: format, format: 'pem' });
  const openssh = Buffer.concat([Buffer.from('openssh-key-v1\0'), randomBytes(200)]).toString('base64');

  it.each([
    ['PKCS#8', String(pem('pkcs8'))],
    ['PKCS#1', String(pem('pkcs1'))],
    ['OpenSSH', `-----BEGIN OPENSSH PRIVATE KEY-----\n${openssh}\n-----END OPENSSH PRIVATE KEY-----\n`],
    ['OpenSSH without armour', openssh],
    ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none'],
    ['a public key and its private one', `${good} ${String(pem('pkcs8')).replaceAll('\n', ' ')}`],
  ])('is recognised: %s', (_, text) => {
    const reading = readPublicKey(text);
    expect(reading).toMatchObject({ key: null, isPrivate: true });
    expect(JSON.stringify(reading)).not.toContain(text.slice(40, 80));
  });

  it('is not assumed because a comment mentions one', () => {
    expect(read(`${good} the PRIVATE KEY is in the safe`).bits).toBe(256);
  });
});

describe('the parser of public keys', () => {
  const mutated = fc
    .tuple(
      fc.constantFrom(...recorded.map(({ line }) => line)),
      fc.nat(),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    .map(([line, at, text]) => {
      const place = at % line.length;
      return line.slice(0, place) + text + line.slice(place + text.length);
    });
  const blobs = fc
    .tuple(
      fc.constantFrom('ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp521', 'sk-ecdsa-sha2-nistp256@openssh.com'),
      fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }),
      fc.uint8Array({ maxLength: 8 }),
    )
    .map(([name, fields, rest]) => {
      const blob = Buffer.concat([blobOf(name, ...fields.map((bytes) => Buffer.from(bytes))), rest]);
      return `${name} ${blob.toString('base64')}`;
    });

  it('never throws, and reads its own output as the same key', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), mutated, blobs), (text) => {
        const { key } = readPublicKey(text);
        if (key !== null) expect(readPublicKey(key.line)).toEqual({ key });
      }),
      { numRuns: 3000 },
    );
  });

  it('distinguishes two keys', () => {
    expect(read(freshPublicKey()).sha256).not.toBe(read(freshPublicKey()).sha256);
  });
});
