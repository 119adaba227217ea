/** How often a harmless ticket is refused. The texts are made from a fixed seed, so that the figure is the same each time. */
import { describe, expect, it } from 'vitest';
import { secretsIn } from './check.ts';

/** Numbers that look random, always the same (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = numbersFrom(20_260_301);
const below = (limit: number): number => Math.floor(next() * limit);
const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
const text = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[below(alphabet.length)]).join('');

const HEX = '0123456789abcdef';
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const hex = (length: number): string => text(HEX, length);
const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join('-');
const id = (): string =>
  `${one(['vm', 'vol', 'net', 'fw', 'op', 'evt', 'req', 'tkt', 'key', 'mem'])}_0${text(BASE32, 25)}`;
const host = (): string =>
  `${one(['web', 'db', 'cache', 'api', 'mail'])}-${below(90)}.${one(['example.com', 'example.net', 'corp.example.org'])}`;
const ip = (): string => Array.from({ length: 4 }, () => below(256)).join('.');
const time = (): string => new Date(1_770_000_000_000 + below(10_000_000) * 1000).toISOString();
const lines = (count: number, make: () => string): string => Array.from({ length: count }, make).join('\n');

const inBraces = (variable: string): string => `$${`{${variable}}`}`;

/** What customers paste into tickets. */
const pasted: readonly (() => string)[] = [
  () => `The machine ${id()} is in error since ${time()}. The operation was ${id()}, the request ${id()}.`,
  () =>
    lines(
      8,
      () =>
        `${time()} ${host()} ${one(['sshd', 'kernel', 'nginx', 'systemd'])}[${below(9999)}]: ${one(['Failed password for invalid user admin from', 'Accepted publickey for root from', 'Connection closed by', 'session opened for'])} ${ip()} port ${below(65536)} ssh2: ED25519 SHA256:${text(BASE64, 43)}`,
    ),
  () =>
    lines(
      5,
      () =>
        `${ip()} - - [${time()}] "GET /api/v1/items/${uuid()}?page=${below(99)}&session=${hex(16)} HTTP/1.1" ${one([200, 404, 500, 502])} ${below(99_999)} "https://${host()}/login?next=%2Fadmin%2F${below(999)}" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"`,
    ),
  () =>
    `The checksum differs: expected ${hex(64)}, got ${hex(64)}. The commit is ${hex(40)}, the image docker.io/library/nginx@sha256:${hex(64)}.`,
  () =>
    `"integrity": "sha512-${text(BASE64, 86)}==",\n"resolved": "https://registry.example.com/pkg/-/pkg-${below(20)}.${below(20)}.0.tgz"`,
  () =>
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${text(BASE64, 43)} ada@laptop\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${text(BASE64, 500)}= root@${host()}`,
  () => `-----BEGIN CERTIFICATE-----\n${lines(18, () => text(BASE64, 64))}\n-----END CERTIFICATE-----`,
  () => `-----BEGIN PUBLIC KEY-----\n${lines(6, () => text(BASE64, 64))}\n-----END PUBLIC KEY-----`,
  () =>
    `[Interface]\nAddress = 10.8.${below(255)}.2/32\nPrivateKey = (hidden)\n[Peer]\nPublicKey = ${text(BASE64, 43)}=\nEndpoint = ${host()}:51820\nAllowedIPs = 0.0.0.0/0`,
  () =>
    `server {\n  listen 443 ssl;\n  server_name ${host()};\n  ssl_certificate_key /etc/ssl/private/${host()}.key;\n  proxy_set_header Authorization $http_authorization;\n  proxy_pass http://${ip()}:8080;\n}`,
  () =>
    `database:\n  url: postgres://app:${one(['password', '<password>', '$DB_PASSWORD', inBraces('DB_PASSWORD'), '********', 'xxxxx', '[redacted]', 'REDACTED'])}@${host()}:5432/app\n  pool: ${below(50)}\n  password: ${one(['<hidden>', '***', '"$PASSWORD"', inBraces('SECRET'), '(removed)'])}`,
  () =>
    `See https://github.com/example/repo/blob/${hex(40)}/src/main.rs#L${below(900)} and https://${host()}/files/${uuid()}?token=none&X-Amz-Date=20260301T100000Z&X-Amz-SignedHeaders=host.`,
  () =>
    `curl -H "X-API-Key: $HOSTPLANE_API_KEY" https://${host()}/flexible-vps/v1/vms/${id()} answers 401 for the key hpk1_${text(BASE64.slice(0, 62), 12)}_***.`,
  () =>
    `{"id":"${id()}","etag":"${text(URL64, 16)}","next_cursor":"${text(URL64, 180)}","sha256":"${hex(64)}","labels":{"team":"web"}}`,
  () =>
    `Traceback (most recent call last):\n  File "/srv/app/${hex(8)}.py", line ${below(900)}, in connect\n    token = os.environ["API_TOKEN"]\nKeyError: 'API_TOKEN'\nauth: Bearer token missing; set token: in config.yaml`,
  () =>
    `git clone git@${host()}:team/app.git; git clone https://${host()}/team/app.git; rsync -av rsync://${ip()}/backup/${below(99)} ssh://deploy@${host()}:2222/srv/git/app.git`,
  () =>
    `Content-Type: multipart/mixed; boundary="${text(URL64, 30)}"\nMessage-ID: <${hex(20)}@${host()}>\nDKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=mail; bh=${text(BASE64, 43)}=; b=${text(BASE64, 170)}`,
  () => `The screenshot: data:image/png;base64,iVBORw0KGgo${text(BASE64, 3000)}`,
  () =>
    `eth0: inet6 2a01:${hex(4)}:${hex(4)}:${hex(4)}::1/64 lladdr ${Array.from({ length: 6 }, () => hex(2)).join(':')} mtu 1500; traceroute: ${lines(6, () => `${host()} (${ip()}) ${below(90)}.${below(999)} ms`)}`,
  () =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: tls-${hex(5)}\n  uid: ${uuid()}\ndata:\n  tls.crt: ${text(BASE64, 400)}\n---\nclient-certificate-data: ${text(BASE64, 400)}==\n`,
  () =>
    `Der Server ${host()} ist seit gestern nicht erreichbar. Ich habe das Passwort: schon dreimal geändert, aber die Anmeldung schlägt fehl. Kundennummer ${below(999_999)}, Rechnung RE-2026-${below(9999)}.`,
  () =>
    `We would like a higher limit for machines (now 50) in fra1, because we move ${below(90)} servers of ${below(40)} TB each. The order is ${uuid()}; the quote was ${below(9999)}.${below(99)} EUR.`,
  () =>
    `SK${below(9999)} and key-${below(99)} are our names for cages; the tasks are task-${below(999)}-risk-review-${hex(6)}. AKI A1, IBAN DE${below(99)} ${below(9999)} ${below(9999)} ${below(9999)}.`,
  () =>
    `otpauth is set up; npm_config_cache=/tmp/${hex(8)}; NPM_TOKEN is unset; sk_test is used on staging only; ghcr.io/org/app:${hex(7)}`,
  () =>
    `Strict-Transport-Security, Content-Security-Policy: script-src 'nonce-${text(BASE64, 22)}==' 'sha256-${text(BASE64, 43)}='; Set-Cookie: sid=${one(['(removed)', '…'])}; ETag: W/"${hex(32)}"`,
];

const ticket = (): string => {
  const parts = Array.from({ length: 1 + below(4) }, () => one(pasted)());
  return ['Hello,', ...parts, 'What can we do? Thank you!'].join('\n\n');
};

describe('a harmless ticket', () => {
  const corpus = Array.from({ length: 1000 }, ticket);

  it('is one of 1,000 with ids, hashes, logs, keys that are public, configuration and addresses', () => {
    expect(new Set(corpus).size).toBeGreaterThan(950);
    const all = corpus.join('\n');
    expect(all.length).toBeGreaterThan(1_000_000);
  });

  it('is refused in less than 0.5 % of all cases', () => {
    const refused = corpus.flatMap((each) =>
      secretsIn(each)
        .slice(0, 1)
        .map(
          ({ code, offset = 0, length = 0 }) => `${code} ${each.slice(offset, offset + length).slice(0, 60)}`,
        ),
    );
    expect({ refused, isFew: refused.length < 5 }).toEqual({ refused: expect.any(Array), isFew: true });
  });

  it('is refused in all cases once it contains a password in a URL', () => {
    const missed = corpus.filter(
      (each) =>
        !secretsIn(`${each}\nmysql://root:${hex(10)}@${host()}/app`).some(
          ({ code }) => code === 'password_in_url',
        ),
    );
    expect(missed).toEqual([]);
  });
});
