import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { findFault, openSeal } from './key.ts';
import { newKey, Seal } from './seal.ts';

let database: TestDatabase;
let db: Db;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
  folder = await mkdtemp(join(tmpdir(), 'hostplane-key-'));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
  await rm(folder, { recursive: true });
});
beforeEach(() => db.updateTable('instance').set({ secret_key_fingerprint: null }).execute());

const inFile = (name: string) => ({ key: null, key_file: join(folder, name, 'secret.key') });
const given = (key: Buffer) => ({ key: key.toString('base64'), key_file: join(folder, 'unused') });

it('the first start creates a key file for this user only, and the next start uses it', async () => {
  const source = inFile('first');
  const racing = await Promise.all([openSeal(db, source), openSeal(db, source), openSeal(db, source)]);
  expect(new Set(racing.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect((await stat(source.key_file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'first'))).toEqual(['secret.key']);
  const text = (await readFile(source.key_file, 'utf8')).trim();
  expect((await openSeal(db, source)).fingerprint).toBe(new Seal(Buffer.from(text, 'base64')).fingerprint);
});

it('a key in the environment is used, and no file is created', async () => {
  const key = newKey();
  expect((await openSeal(db, given(key))).fingerprint).toBe(new Seal(key).fingerprint);
  expect(await readdir(folder)).not.toContain('unused');
});

it('a start without the key, with another one or with a broken file is refused with what to do', async () => {
  await openSeal(db, inFile('kept'));
  await expect(openSeal(db, inFile('lost'))).rejects.toThrow(
    /Restore it as .*lost.*hostplane admin secrets reset/,
  );
  expect(await readdir(folder)).not.toContain('lost');
  await expect(openSeal(db, given(newKey()))).rejects.toThrow(/HOSTPLANE_SECRET_KEY is not the key/);
  expect(await findFault(db, inFile('kept'))).toBeNull();
  expect(await findFault(db, inFile('lost'))).toMatch(/^The secrets in this database/);
  expect(await findFault(db, given(newKey()))).toMatch(/is not the key that sealed/);
  const broken = join(folder, 'broken.key');
  await writeFile(broken, 'not a key');
  await expect(openSeal(db, { key: null, key_file: broken })).rejects.toThrow(
    /does not contain a key.*backup/,
  );
  await expect(openSeal(db, { key: null, key_file: folder })).rejects.toThrow(/cannot be read/);
});
