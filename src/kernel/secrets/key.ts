/**
 * Where the key comes from: the environment, or a file that the first start makes. The database remembers which key it
 * was, so that a lost or exchanged one is noticed at the start and not when the first secret is needed.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from '../../store/database.ts';
import { keepKeyFingerprint, readKeyFingerprint } from '../../store/instance.ts';
import { SECRET_KEY_VARIABLE } from '../provider/secrets.ts';
import { newKey, parseKey, Seal } from './seal.ts';

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

async function findKey(db: Db, { key, key_file }: KeySource): Promise<Buffer> {
  const given = key === null ? await readKeyFile(key_file) : parseKey(key);
  if (given !== null) return given;
  if ((await readKeyFingerprint(db)) === null) return makeKeyFile(key_file);
  throw new Error(
    `The secrets in this database are sealed with a key that is not here. Put it back as ${key_file} (copy it from another process on this database, or from a backup), or set ${SECRET_KEY_VARIABLE}. ${LOST}`,
  );
}

export async function openSeal(db: Db, source: KeySource): Promise<Seal> {
  const seal = new Seal(await findKey(db, source));
  if ((await keepKeyFingerprint(db, seal.fingerprint)) === seal.fingerprint) return seal;
  const where = source.key === null ? source.key_file : SECRET_KEY_VARIABLE;
  throw new Error(
    `The key in ${where} is not the one that the secrets in this database are sealed with. Use the key of the processes already running on it, or the one from the backup that the database came from. ${LOST}`,
  );
}
