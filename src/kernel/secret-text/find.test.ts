import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { issueKey } from '../access/key-format.ts';
import { findSecrets, looksLikePassword } from './find.ts';

const random = (alphabet: string, length: number): string =>
  [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join('');
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const WORD = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** With digits at its beginning, because a secret of letters alone is not told from a word. */
const word = (length: number): string => `123${random(WORD, length - 3)}`;
const pem = (type: 'pkcs1' | 'pkcs8'): string =>
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type, format: 'pem' }).toString();
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (): string =>
  `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: 'ada', iat: 1 })}.${randomBytes(32).toString('base64url')}`;
const wireguardKey = (): string => randomBytes(32).toString('base64');

/** Secrets of each format, made here: nothing in this file is one. */
const samples: Readonly<Record<string, readonly (readonly [string, () => string])[]>> = {
  hostplane_key: [['an API key', () => issueKey().key]],
  hostplane_secret: [['a signing secret', () => `whsec_${randomBytes(32).toString('base64')}`]],
  private_key: [
    ['PKCS #8', () => pem('pkcs8')],
    ['PKCS #1', () => pem('pkcs1')],
    ['OpenSSH', () => `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----\nb3BlbnNzaA==`],
    ['PGP', () => `-----BEGIN PGP ${'PRIVATE'} KEY BLOCK-----`],
    ['PuTTY', () => `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none`],
    ['WireGuard', () => `[Interface]\nPrivateKey = ${wireguardKey()}\n`],
    ['age', () => `AGE-SECRET-KEY-1${random('02345679ACDEFGHJKLMNPQRSTUVWXYZ', 58)}`],
  ],
  bearer_token: [
    ['a JSON Web Token', jwt],
    ['the token of a kubeconfig', () => `users:\n- user:\n    token: ${word(40)}`],
    ['the key of a kubeconfig', () => `client-key-data: ${randomBytes(300).toString('base64')}`],
    ['a header', () => `Authorization: Bearer ${word(48)}`],
  ],
  known_vendor_key: [
    ['Amazon Web Services', () => `AKIA${random('ABCDEFGH', 11)}23456`],
    ['Google', () => `AIza${word(35)}`],
    ['Azure', () => `AccountKey=${word(86)}==`],
    ['GitHub', () => `ghp_${word(36)}`],
    ['GitHub, with chosen rights', () => `github_pat_${word(22)}_${word(59)}`],
    ['GitLab', () => `glpat-${word(20)}`],
    ['Slack', () => `xoxb-${random(DIGITS, 12)}-${word(24)}`],
    [
      'a Slack webhook',
      () => `https://hooks.slack.com/services/T${random('AB12', 10)}/B${random('AB12', 10)}/${word(24)}`,
    ],
    ['Stripe', () => `sk_live_${word(24)}`],
    ['Anthropic', () => `sk-ant-api03-${word(90)}`],
    ['OpenAI', () => `sk-proj-${word(60)}`],
    ['npm', () => `npm_${word(36)}`],
    ['PyPI', () => `pypi-AgEIcHlwaS5vcmc${word(80)}`],
    ['SendGrid', () => `SG.${word(22)}.${word(43)}`],
    ['Twilio', () => `SK123${random(HEX, 29)}`],
    ['Telegram', () => `${random(DIGITS, 10)}:AA${word(33)}`],
    ['DigitalOcean', () => `dop_v1_123${random(HEX, 61)}`],
    ['Docker Hub', () => `dckr_pat_${word(27)}`],
    ['Grafana', () => `glsa_${word(32)}_${random(HEX, 8)}`],
    ['Tailscale', () => `tskey-auth-${word(16)}-${word(32)}`],
  ],
};
const everySample = Object.entries(samples).flatMap(([kind, list]) =>
  list.map(([name, make]) => ({ kind, name, make })),
);

const sentence = (secret: string): string =>
  `The deployment fails.\nWe use this: ${secret}\nWhat is wrong with it?`;

describe('A secret in a sentence', () => {
  it.each(everySample)('is found with its kind and place: $kind, $name', ({ kind, make }) => {
    const text = sentence(make());
    const found = findSecrets(text);
    expect(found.map((each) => each.kind)).toEqual([kind]);
    expect(found[0]!.offset).toBeGreaterThan(20);
    expect(found[0]!.offset + found[0]!.length).toBeLessThanOrEqual(text.length);
  });

  it('is found once, also where two formats or two readings recognise it', () => {
    expect(findSecrets(`Bearer ${jwt()}`)).toHaveLength(1);
    expect(findSecrets(`${issueKey().key} and ${issueKey().key}`)).toHaveLength(2);
  });
});

describe('A key that was written in another way', () => {
  const { key } = issueKey();
  const fullWidth = (text: string): string =>
    text.replaceAll(/[!-~]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
  const ways: readonly (readonly [string, string])[] = [
    ['with zero-width spaces', [...key].join('\u200b')],
    ['in full-width letters', fullWidth(key)],
    ['on two lines', `${key.slice(0, 20)}\n    ${key.slice(20)}`],
    ['with a space between all letters', [...key].join(' ')],
    ['percent-encoded', [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')],
    ['in base64', Buffer.from(`export KEY=${key}\n`).toString('base64')],
    [
      'in base64 on several lines',
      Buffer.from(`export KEY=${key}\n`).toString('base64').replaceAll(/.{40}/g, '$&\n'),
    ],
  ];

  it.each(ways)('is found at its place: %s', (_, written) => {
    const text = `Ää 🙂 before ${written} after`;
    const [found, ...others] = findSecrets(text);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: 'hostplane_key' });
    expect(text.slice(found!.offset, found!.offset + found!.length)).toBe(written.trimEnd());
  });
});

describe('A text without a secret', () => {
  const read = (file: string): string => readFileSync(file, 'utf8');
  const paragraphs = [
    'README.md',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    ...markdownIn('docs'),
    ...markdownIn('docs/decisions'),
  ]
    .flatMap((file) => read(file).split(/\n\s*\n/))
    .filter((text) => text.length >= 20);
  const document = JSON.parse(read('openapi.json')) as unknown;

  it('is not refused: all paragraphs of our own pages, which are full of keys with their secret left out, ids and sums', () => {
    expect(paragraphs.length).toBeGreaterThan(1000);
    expect(paragraphs.filter((text) => findSecrets(text).length > 0)).toEqual([]);
  });

  it('is not refused: all descriptions and examples of the document', () => {
    const texts = textsIn(document).filter((text) => findSecrets(text).length > 0);
    expect(texts.filter((text) => !text.includes('EXAMPLE'))).toEqual([]);
  });

  it('is not refused: ids, hashes, public keys, certificates and random data', () => {
    const harmless = [
      'vm_01j9zq3v5ke9tv2h1m0c8x4r7b is in error since 2026-03-01T10:00:00Z',
      randomBytes(32).toString('hex'),
      `sha512-${randomBytes(64).toString('base64')}`,
      `ssh-ed25519 ${randomBytes(51).toString('base64')} ada@laptop`,
      `-----BEGIN CERTIFICATE-----\n${randomBytes(600).toString('base64')}\n-----END CERTIFICATE-----`,
      `PublicKey = ${wireguardKey()}`,
      'hpk1_abcdefghijkl_*** answers 401',
      'Bearer tokens are not supported; token: none',
      'We keep the task-based risk-averse plan of 2026 for twelve machines in three data centres',
      randomBytes(3000).toString('base64'),
    ];
    expect(harmless.filter((text) => findSecrets(text).length > 0)).toEqual([]);
  });

  it('is searched to its end if it is made to be slow', () => {
    const hostile = [
      'eyJ',
      'eyJa.',
      '-----BEGIN ',
      'token: ',
      'sk-',
      '%41',
      'hpk1_',
      'A'.repeat(32),
      ' \n',
      '\u200b',
    ];
    for (const part of hostile) expect(findSecrets(part.repeat(200_000 / part.length))).toEqual([]);
  });
});

describe('A text that looks as if it gave away a password', () => {
  it.each([
    'password: hunter2!',
    'PASSWORD=correct-horse',
    '{"password": "s3cret-word"}',
    'postgres://app:s3cret@db.example.com/app',
  ])('is recognised: %s', (text) => {
    expect(looksLikePassword(text)).toBe(true);
    expect(looksLikePassword(text)).toBe(true);
  });

  it.each([
    'I forgot my password: what can I do?',
    'password: <your password>',
    'password=$PASSWORD',
    'password: ********',
    'https://example.com:8080/a@b',
    'The password expires: tomorrow',
  ])('is not: %s', (text) => {
    expect(looksLikePassword(text)).toBe(false);
  });
});

function markdownIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
