/**
 * Loads the key that seals secrets: from the environment, or from a file that the first start creates. The database
 * stores the fingerprint of the key, so that a lost or different key is noticed at start.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from '../../store/database.ts';
import { keepKeyFingerprint, readKeyFingerprint } from '../../store/instance.ts';
import { newKey, parseKey, SECRET_KEY_VARIABLE, Seal } from './seal.ts';

interface KeySource {
  readonly key: string | null;
  readonly key_file: string;
}

const LOST =
  'If you have no copy of the key, run: hostplane admin secrets reset. Webhooks are then disabled until you rotate their secrets.';

async function readKeyFile(file: string): Promise<Buffer | null> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(
      `The key file ${file} cannot be read. Give the user that runs Hostplane read access to it.`,
      {
        cause: error,
      },
    );
  }
  const key = parseKey(text);
  if (key !== null) return key;
  throw new Error(
    `${file} does not contain a key: it must be 32 bytes in base64 and nothing else. Restore it from a backup. ${LOST}`,
  );
}

/** Creates the key file atomically. If two processes create it at once, both use the first file. */
async function makeKeyFile(file: string): Promise<Buffer> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${newKey().toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    try {
      await link(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await unlink(draft);
    }
  } catch (error) {
    throw new Error(
      `The key file ${file} cannot be created. Give this user write access there, set secrets.key_file to another path, or set ${SECRET_KEY_VARIABLE} to the output of: openssl rand -base64 32`,
      { cause: error },
    );
  }
  const key = await readKeyFile(file);
  if (key === null)
    throw new Error(`The key file ${file} was deleted while it was being created. Start Hostplane again.`);
  return key;
}

const ABSENT = (file: string): string =>
  `The secrets in this database are sealed with a key that is missing. Restore it as ${file} (copy it from another process that uses this database, or from a backup), or set ${SECRET_KEY_VARIABLE}. ${LOST}`;

const OTHER = ({ key, key_file }: KeySource): string =>
  `The key in ${key === null ? key_file : SECRET_KEY_VARIABLE} is not the key that sealed the secrets in this database. Use the key of the other processes that use this database, or the key from the backup that the database was restored from. ${LOST}`;

const readKey = async ({ key, key_file }: KeySource): Promise<Buffer | null> =>
  key === null ? readKeyFile(key_file) : parseKey(key);

async function findKey(db: Db, source: KeySource): Promise<Buffer> {
  // Reads the fingerprint first: another process that starts now creates the file before it stores the fingerprint.
  const known = await readKeyFingerprint(db);
  const given = await readKey(source);
  if (given !== null) return given;
  if (known === null) return makeKeyFile(source.key_file);
  throw new Error(ABSENT(source.key_file));
}

/** Called at start: loads the key, or creates one if the database has never used a key. */
export async function openSeal(db: Db, source: KeySource): Promise<Seal> {
  const seal = new Seal(await findKey(db, source));
  if ((await keepKeyFingerprint(db, seal.fingerprint)) === seal.fingerprint) return seal;
  throw new Error(OTHER(source));
}

export const hasKey = async (source: KeySource): Promise<boolean> => (await readKey(source)) !== null;

/** The error that a start would fail with, or null. It changes nothing. */
export async function findFault(db: Db, source: KeySource): Promise<string | null> {
  const known = await readKeyFingerprint(db);
  try {
    const key = await readKey(source);
    if (known === null) return null;
    if (key === null) return ABSENT(source.key_file);
    return new Seal(key).fingerprint === known ? null : OTHER(source);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
