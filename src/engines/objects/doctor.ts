/** The part of `doctor` for stores of backups: writes, reads, lists and removes a small object. */
import { randomBytes } from 'node:crypto';
import type { Examination } from '../../kernel/registry.ts';
import type { Location } from '../../provider/catalogue.ts';
import { EngineRefused } from '../errors.ts';
import { openStore } from './open.ts';
import { S3Error } from './s3/client.ts';
import { type BackupPlace, type BackupStore, backupPlaceOf } from './settings.ts';

const nameOf = (place: BackupPlace): string =>
  place.driver === 'folder' ? place.folder : `the bucket ${place.bucket} at ${place.endpoint}`;

const RIGHTS = 's3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket';

/** Answers of S3 that the provider can do something about. */
const remedies: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Create the bucket, or correct its name in the provider file.',
  InvalidAccessKeyId: 'Correct the file of the access key: the store does not know the key.',
  SignatureDoesNotMatch: 'Correct the file of the secret key: it does not belong to the access key.',
  AccessDenied: `Give the owner of the access key the rights ${RIGHTS} on the bucket.`,
  RequestTimeTooSkewed: 'Set the clock of this machine: it differs too much from that of the store.',
  AuthorizationHeaderMalformed: 'Correct the region in the provider file.',
  PermanentRedirect: 'Correct the endpoint in the provider file: the bucket is in another region.',
};

/** The codes of Node for certificates that no trusted authority has signed. */
const UNTRUSTED =
  'Set ca_file in the provider file to the certificate of the authority that signed that of the store.';
const certificates: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ].map((code) => [code, UNTRUSTED]),
);

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

function fixOf(place: BackupPlace, error: unknown, cause: unknown): string {
  if (error instanceof EngineRefused) return `Make room in ${nameOf(place)}, or raise its quota.`;
  if (place.driver === 'folder') return `Make ${place.folder} writable for Hostplane.`;
  const known = cause instanceof S3Error ? remedies[cause.code] : certificates[codeOf(cause)];
  return known ?? `See that the store answers at ${place.endpoint}, and that this machine can reach it.`;
}

/** Only stores that the provider's file names are examined: the sandbox needs none. */
export async function examineObjects(
  backups: BackupStore,
  { slug }: Pick<Location, 'slug'>,
): Promise<readonly Examination[]> {
  const name = `backups of ${slug}`;
  const place = backupPlaceOf(backups);
  const store = openStore(slug, place);
  const bytes = randomBytes(1024);
  const prefix = `doctor-${randomBytes(8).toString('hex')}/`;
  const key = `${prefix}trial`;
  try {
    await store.put(key, bytes);
    const isSame = (await store.get(key))?.equals(bytes) === true;
    const isListed = (await store.list(prefix)).some((each) => each.key === key);
    await store.removeAll(prefix);
    if (isSame && isListed)
      return [{ name, detail: `objects can be written to ${nameOf(place)}, read and removed` }];
    return [{ name, detail: `${nameOf(place)} does not return what was written`, fix: 'Use another store.' }];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const detail = cause instanceof Error ? cause.message : String(cause);
    return [{ name, detail, fix: fixOf(place, error, cause) }];
  } finally {
    await store.close();
  }
}
