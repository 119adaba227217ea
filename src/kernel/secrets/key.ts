/**
 * Where the key comes from: the environment, or a file that the first start makes. The database remembers which key it
 * was, so that a lost or exchanged one is noticed at the start and not when the first secret is needed.
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
  'If no copy is left, run: hostplane secrets reset. Webhooks are then disabled until their secrets are rotated.';

async function readKeyFile(file: string): Promise<Buffer | null> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`The key file ${file} cannot be read: let the user that runs Hostplane read it.`, {
      cause: error,
    });
  }
  const key = parseKey(text);
  if (key !== null) return key;
  throw new Error(
    `${file} holds no key: it must be 32 bytes in base64 and nothing else. Restore it from a backup. ${LOST}`,
  );
}

/** Appears whole or not at all; of two that make it at once, both use the first. */
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
      `The key file ${file} cannot be made. Let this user write there, name another place in secrets.key_file, or set ${SECRET_KEY_VARIABLE} to the output of: openssl rand -base64 32`,
      { cause: error },
    );
  }
  const key = await readKeyFile(file);
  if (key === null) throw new Error(`The key file ${file} vanished while it was made. Start again.`);
  return key;
}

const ABSENT = (file: string): string =>
  `The secrets in this database are sealed with a key that is not here. Put it back as ${file} (copy it from another process on this database, or from a backup), or set ${SECRET_KEY_VARIABLE}. ${LOST}`;

const OTHER = ({ key, key_file }: KeySource): string =>
  `The key in ${key === null ? key_file : SECRET_KEY_VARIABLE} is not the one that the secrets in this database are sealed with. Use the key of the processes already running on it, or the one from the backup that the database came from. ${LOST}`;

const readKey = async ({ key, key_file }: KeySource): Promise<Buffer | null> =>
  key === null ? readKeyFile(key_file) : parseKey(key);

async function findKey(db: Db, source: KeySource): Promise<Buffer> {
  // In this order: a file that another process makes at this moment is there before its fingerprint is.
  const known = await readKeyFingerprint(db);
  const given = await readKey(source);
  if (given !== null) return given;
  if (known === null) return makeKeyFile(source.key_file);
  throw new Error(ABSENT(source.key_file));
}

/** At a start: takes the key, or makes one where none was needed before. */
export async function openSeal(db: Db, source: KeySource): Promise<Seal> {
  const seal = new Seal(await findKey(db, source));
  if ((await keepKeyFingerprint(db, seal.fingerprint)) === seal.fingerprint) return seal;
  throw new Error(OTHER(source));
}

/** What a start would stumble over, and what to do; it changes nothing. */
export async function findFault(db: Db, source: KeySource): Promise<string | null> {
  const known = await readKeyFingerprint(db);
  if (known === null) return null;
  try {
    const key = await readKey(source);
    if (key === null) return ABSENT(source.key_file);
    return new Seal(key).fingerprint === known ? null : OTHER(source);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
