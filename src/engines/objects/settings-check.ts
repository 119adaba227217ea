/** Checks that the store of a location sets the members that its driver needs and none of another driver. */
import { resolve } from 'node:path';
import { checkAuthority } from '../../provider/certificate.ts';
import { checkForeign } from '../../provider/driver-members.ts';
import type { Report } from '../../provider/fault.ts';
import { readSecret } from '../../provider/secrets.ts';
import { type BackupStore, storeDrivers } from './settings.ts';

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

export function checkBackups(backups: BackupStore, at: string, folder: string, report: Report): void {
  const { driver } = backups;
  checkForeign(backups, at, storeDrivers, report);
  for (const [member, fix] of Object.entries(needed[driver]))
    if (backups[member as keyof BackupStore] === null)
      report(`${at}/${member}`, `${member} is missing.`, fix);
  if (driver === 's3') checkFiles(backups, at, folder, report);
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
