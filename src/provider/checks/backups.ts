/** Checks that the store of each location sets the members that its driver needs and none of another driver. */
import { resolve } from 'node:path';
import { type BackupStore, FOLDER_MEMBERS, S3_MEMBERS } from '../backup-store.ts';
import { checkAuthority } from '../certificate.ts';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';
import { readSecret } from '../secrets.ts';
import { checkForeign } from './foreign-members.ts';

const foreign = { folder: S3_MEMBERS, s3: FOLDER_MEMBERS } as const;
const other = { folder: 's3', s3: 'folder' } as const;

const needed = {
  folder: {
    folder: 'Add a folder on other storage than that of the machines, such as folder: /srv/backups.',
  },
  s3: {
    endpoint: 'Add the address of the store, such as endpoint: https://s3.eu-central-1.amazonaws.com.',
    bucket: 'Add the name of the bucket, such as bucket: backups.',
    access_key_file: 'Name a file that has the access key as its only line.',
    secret_key_file: 'Name a file that has the secret key as its only line.',
  },
} as const;

/** Relative file names are resolved against `folder`. */
export function checkBackups(draft: Draft, folder: string, report: Report): void {
  for (const { path, value } of draft.entries('locations')) {
    const { backups } = value;
    if (backups === null) continue;
    const at = `${path}/backups`;
    const { driver } = backups;
    checkForeign(backups, at, foreign[driver], other[driver], report);
    for (const [member, fix] of Object.entries(needed[driver]))
      if (backups[member as keyof BackupStore] === null)
        report(`${at}/${member}`, `${member} is missing.`, fix);
    if (driver === 's3') checkFiles(backups, at, folder, report);
  }
}

function checkFiles(backups: BackupStore, at: string, folder: string, report: Report): void {
  const { endpoint, access_key_file, secret_key_file, ca_file } = backups;
  for (const [member, file] of Object.entries({ access_key_file, secret_key_file }))
    if (file !== null) readSecret(resolve(folder, file), `${at}/${member}`, report, 'the key');
  if (ca_file === null) return;
  if (endpoint?.startsWith('http:') === true)
    report(`${at}/ca_file`, 'An http address has no certificate.', 'Remove it, or use an https address.');
  else checkAuthority(resolve(folder, ca_file), `${at}/ca_file`, report);
}
