import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '../../../kernel/problems/problem.ts';
import { outcomeOf } from '../../../laws/responses.ts';
import { accountTables, rowsOf } from '../../../laws/rows.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { freshPublicKey } from '../../../testing/ssh-keys.ts';
import { requireSshKeys } from './references.ts';
import { sshKeys } from './resource.ts';
import type { SshKey } from './schema.ts';
import { readSshKeys } from './store.ts';

const collection = '/flexible-vps/v1/ssh-keys';

let app: TestApp;
let account: TestAccount;
let key: TestKey;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
});

const post = (payload: object, query = '', as: TestKey = key) =>
  app.call({ method: 'POST', url: `${collection}${query}`, payload, key: as.key });

async function store(more: object = {}): Promise<SshKey> {
  const response = await post({ name: `key-${++serial}`, public_key: freshPublicKey(), ...more });
  expect([response.statusCode, response.json().errors]).toEqual([201, undefined]);
  return response.json<SshKey>();
}

async function list(query: string): Promise<string[]> {
  const response = await app.call({ url: `${collection}${query}`, key: key.key });
  expect([response.statusCode, response.json().errors]).toEqual([200, undefined]);
  return response.json<{ data: SshKey[] }>().data.map(({ id }) => id);
}

async function events(): Promise<string[]> {
  const rows = (await rowsOf({ app, account, key }, 'events')) as { type: string; resource_id: string }[];
  return rows.map(({ type, resource_id }) => `${type} ${resource_id}`);
}

describe('storing an SSH key', () => {
  it('422: a line of more than 16 KiB, counted in bytes', async () => {
    const answer = async (comment: string) =>
      (await post({ name: `key-${++serial}`, public_key: `${freshPublicKey()} ${comment}` })).json();
    expect((await answer('é'.repeat(8192))).errors).toMatchObject([
      { pointer: '/public_key', code: 'too_long' },
    ]);
    expect((await answer('é'.repeat(8000))).comment).toContain('é');
  });

  it('201: stores it on one normalised line, with its type, size and fingerprints', async () => {
    const [name, encoded] = freshPublicKey().split(' ');
    const body = { name: 'laptop', public_key: ` ${name}  ${encoded} me@home\n`, labels: { of: 'me' } };
    const response = await post(body);
    const { id } = response.json<SshKey>();
    expect([response.statusCode, response.json()]).toEqual([
      201,
      {
        id,
        name: 'laptop',
        labels: { of: 'me' },
        public_key: `${name} ${encoded} me@home`,
        type: 'ed25519',
        bits: 256,
        fingerprint_sha256: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
        fingerprint_md5: expect.stringMatching(/^MD5:([0-9a-f]{2}:){15}[0-9a-f]{2}$/),
        comment: 'me@home',
        etag: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const read = await app.call({ url: `${collection}/${id}`, key: key.key });
    expect([read.json(), read.headers['etag']]).toEqual([response.json(), `"${response.json().etag}"`]);
    expect(await events()).toEqual([`ssh_key.created ${id}`]);
  });

  it('adds it to the inventory and to the limit, until it is deleted', async () => {
    const { id, name } = await store();
    const used = async () => {
      const limits = await app.call({ url: '/account/v1/limits', key: key.key });
      const row = limits
        .json<{ data: { id: string; used: number }[] }>()
        .data.find((limit) => limit.id === 'flexible-vps.ssh-keys');
      const resources = await app.call({ url: '/account/v1/resources?type=ssh_key', key: key.key });
      return [row?.used, resources.json<{ data: { id: string }[] }>().data.map((each) => each.id)];
    };
    expect(await used()).toEqual([1, [id]]);
    const gone = await app.call({ method: 'DELETE', url: `${collection}/${id}`, key: key.key });
    expect([gone.statusCode, await used()]).toEqual([204, [0, []]]);
    expect(await events()).toEqual([`ssh_key.created ${id}`, `ssh_key.deleted ${id}`]);
    expect((await store({ name })).id).not.toBe(id);
  });

  it.each(['ssh-rsa AAAA', 'hello', ' ', 'ssh-ed25519'])('422: %j is no key', async (public_key) => {
    const response = await post({ name: 'no', public_key });
    expect(response.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/public_key', code: 'invalid_format' }],
    });
  });
});

describe('storing the same key again', () => {
  it('409 ssh_key_exists: names the existing key, whatever the comment and name', async () => {
    const first = await store();
    const public_key = first.public_key.replace(first.comment, 'other');
    for (const name of ['other', first.name]) {
      const again = await post({ name, public_key });
      expect([outcomeOf(again), again.json().existing_id]).toEqual(['409 ssh_key_exists', first.id]);
    }
  });

  it('200 with ?if_exists=return: returns the existing key and changes nothing', async () => {
    const first = await store();
    const again = await post({ name: 'other', public_key: first.public_key }, '?if_exists=return');
    expect([again.statusCode, again.json()]).toEqual([200, first]);
    expect(await events()).toHaveLength(1);
    const dry = await post({ name: 'other', public_key: first.public_key }, '?if_exists=return&dry_run=true');
    expect(dry.json().effects).toEqual([]);
  });

  it('stores it once when many calls arrive at the same time', async () => {
    const public_key = freshPublicKey();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => post({ name: `race-${i}`, public_key }, '?if_exists=return')),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ]);
    expect(new Set(answers.map((answer) => answer.json<SshKey>().id)).size).toBe(1);
  });

  it('is allowed in another account', async () => {
    const { public_key } = await store();
    const other = await createKey(app.services.db, await createAccount(app.services.db));
    expect((await post({ name: 'mine', public_key }, '', other)).statusCode).toBe(201);
  });
});

describe('a private key pasted by mistake', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const parts = pem.split('\n').slice(1, -2);

  it.each([
    ['where the public key belongs', { name: 'oops', public_key: pem }, '422 secret_in_text'],
    [
      'behind the public key',
      { name: 'oops', public_key: `${freshPublicKey()}\n${pem}` },
      '422 secret_in_text',
    ],
    ['without its armour', { name: 'oops', public_key: parts.join('') }, '422 validation_failed'],
    ['as a member of its own', { name: 'oops', private_key: pem }, '422 validation_failed'],
    ['in the name', { name: pem, public_key: freshPublicKey() }, '422 validation_failed'],
  ])('%s: is refused, and is stored and logged nowhere', async (_, body, expected) => {
    const response = await post(body);
    await app.services.audit.flush();
    expect(outcomeOf(response)).toBe(expected);
    const tables = await accountTables({ app, account, key });
    const rows = await Promise.all(tables.map((table) => rowsOf({ app, account, key }, table)));
    const everything = [response.body, ...app.logged, JSON.stringify(rows)].join('\n');
    expect(everything).toContain('createVpsSshKey');
    expect(parts.filter((part) => everything.includes(part))).toEqual([]);
  });

  it('in malformed JSON: is not quoted', async () => {
    const payload = `{"name":"oops","public_key":"${pem}"}`;
    const headers = { 'content-type': 'application/json' };
    const response = await app.call({ method: 'POST', url: collection, payload, headers, key: key.key });
    expect(outcomeOf(response)).toBe('400 malformed_request');
    const everything = [response.body, ...app.logged].join('\n');
    expect(parts.filter((part) => everything.includes(part.slice(0, 16)))).toEqual([]);
  });
});

describe('the list of SSH keys', () => {
  it('finds a key by either fingerprint, in any notation', async () => {
    const wanted = await store();
    await store();
    const { fingerprint_sha256: sha256, fingerprint_md5: md5 } = wanted;
    for (const text of [sha256, md5, md5.replace('MD5:', ''), md5.replace('MD5:', '').toUpperCase()])
      expect([text, await list(`?fingerprint=${encodeURIComponent(text)}`)]).toEqual([text, [wanted.id]]);
    expect(await list(`?fingerprint=SHA256:${'A'.repeat(43)}`)).toEqual([]);
  });

  it('accepts a plus sign in the fingerprint that was not URL-encoded', async () => {
    let wanted = await store();
    while (!wanted.fingerprint_sha256.includes('+')) wanted = await store();
    expect(await list(`?fingerprint=${wanted.fingerprint_sha256}`)).toEqual([wanted.id]);
  });

  it('422: refuses a text that is not a fingerprint', async () => {
    const response = await app.call({ url: `${collection}?fingerprint=abc`, key: key.key });
    expect(response.json().errors).toMatchObject([{ pointer: 'query/fingerprint' }]);
  });

  it('filters by name and labels, newest first', async () => {
    const a = await store({ labels: { env: 'prod' } });
    const b = await store({ labels: { env: 'test' } });
    expect(await list('')).toEqual([b.id, a.id]);
    expect(await list(`?name=${a.name}`)).toEqual([a.id]);
    expect(await list('?label_selector=env%3Dtest')).toEqual([b.id]);
  });
});

it('412: an SSH key is not deleted with an old ETag', async () => {
  const { id, etag } = await store();
  const remove = (version: string) =>
    app.call({
      method: 'DELETE',
      url: `${collection}/${id}`,
      headers: { 'if-match': `"${version}"` },
      key: key.key,
    });
  expect(outcomeOf(await remove('other'))).toBe('412 etag_mismatch');
  expect(outcomeOf(await remove(etag))).toBe('204');
});

describe('a reference to SSH keys', () => {
  it('returns the keys in the order in which they were named', async () => {
    const [a, b] = [await store(), await store()];
    const rows = await requireSshKeys(app.services.db, account.id, [b.id, a.id], '/ssh_key_ids');
    expect(rows.map(({ public_key }) => public_key)).toEqual([b.public_key, a.public_key]);
    expect(await requireSshKeys(app.services.db, account.id, [], '/ssh_key_ids')).toEqual([]);
  });

  it('422 unknown_reference: names each key that does not exist or belongs to another account', async () => {
    const own = await store();
    const stranger = await createAccount(app.services.db);
    const ids = [sshKeys.newId(), own.id, sshKeys.newId()];
    const refusal = await requireSshKeys(app.services.db, account.id, ids, '/ssh_key_ids').catch(
      (error) => error,
    );
    expect(refusal).toBeInstanceOf(Problem);
    expect(
      refusal.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
    ).toEqual(['/ssh_key_ids/0 unknown_reference', '/ssh_key_ids/2 unknown_reference']);
    expect(await readSshKeys(app.services.db, stranger.id, [own.id])).toEqual([]);
  });
});
