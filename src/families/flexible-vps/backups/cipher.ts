/**
 * Encrypts archives in parts. Each part is sealed with its place and with whether it is the last one, so that no part
 * can be exchanged, moved, left out or cut off. The key of a backup is derived from the key of its account.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Services } from '../../../kernel/services.ts';
import type { Db } from '../../../store/database.ts';
import { findSealedKey, insertSealedKey } from './store.ts';

const FORMAT = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TAG_AT = 1 + NONCE_BYTES;
const TEXT_AT = TAG_AT + TAG_BYTES;
/** A part is encrypted in slices, so that memory holds it only once more. */
const SLICE_BYTES = 64 * 1024;

interface Place {
  /** Begins with 1. */
  readonly number: number;
  readonly isLast: boolean;
}

export class PartDamaged extends Error {
  constructor({ number }: Place) {
    super(`Part ${number} of the backup is damaged.`);
    this.name = 'PartDamaged';
  }
}

export class BackupCipher {
  readonly #key: Buffer;
  readonly #backupId: string;

  constructor(accountKey: Buffer, backupId: string) {
    this.#key = Buffer.from(hkdfSync('sha256', accountKey, backupId, 'hostplane/backup/1', KEY_BYTES));
    this.#backupId = backupId;
  }

  #place({ number, isLast }: Place): Buffer {
    return Buffer.from(`${this.#backupId} ${number} ${isLast ? 'end' : 'more'}`);
  }

  close(plain: Buffer, place: Place): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(this.#place(place));
    const sealed = Buffer.allocUnsafe(TEXT_AT + plain.length);
    for (let at = 0; at < plain.length; at += SLICE_BYTES)
      cipher.update(plain.subarray(at, at + SLICE_BYTES)).copy(sealed, TEXT_AT + at);
    cipher.final();
    sealed[0] = FORMAT;
    nonce.copy(sealed, 1);
    cipher.getAuthTag().copy(sealed, TAG_AT);
    return sealed;
  }

  open(sealed: Buffer, place: Place): Buffer {
    if (sealed.length < TEXT_AT || sealed[0] !== FORMAT) throw new PartDamaged(place);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(1, TAG_AT))
      .setAAD(this.#place(place))
      .setAuthTag(sealed.subarray(TAG_AT, TEXT_AT));
    const plain = decipher.update(sealed.subarray(TEXT_AT));
    try {
      decipher.final();
    } catch {
      throw new PartDamaged(place);
    }
    return plain;
  }
}

async function accountKeyOf(db: Db, { secrets }: Pick<Services, 'secrets'>, accountId: string) {
  const known = await findSealedKey(db, accountId);
  if (known !== undefined) return secrets.open(known, accountId);
  await insertSealedKey(db, accountId, secrets.close(randomBytes(KEY_BYTES), accountId));
  const sealed = await findSealedKey(db, accountId);
  if (sealed === undefined) throw new Error(`The account ${accountId} is gone.`);
  return secrets.open(sealed, accountId);
}

export async function cipherOf(
  db: Db,
  services: Pick<Services, 'secrets'>,
  { account_id, id }: { readonly account_id: string; readonly id: string },
): Promise<BackupCipher> {
  return new BackupCipher(await accountKeyOf(db, services, account_id), id);
}
