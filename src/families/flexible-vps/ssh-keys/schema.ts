import { exampleOf } from '../../../kernel/examples.ts';
import {
  byOthers,
  byRule,
  CreatedAt,
  Etag,
  endsWith,
  Labels,
  label,
  Named,
  OneOf,
  OwnId,
  ResourceName,
  Shape,
  type Static,
  Type,
  UpdatedAt,
} from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { view } from '../../../resources/records/records.ts';
import { keyTypes } from './public-key.ts';
import { sshKeys } from './resource.ts';

const LINE = 16_384;

export const SshKey = Named(
  'SshKey',
  Shape({
    id: OwnId('sshkey'),
    name: ResourceName,
    labels: Labels,
    public_key: Type.String({
      ...endsWith('comment'),
      description: 'The line that is written into `authorized_keys`.',
    }),
    type: OneOf(keyTypes, { description: 'The algorithm of the key.' }),
    bits: Type.Integer({ 'x-unit': 'bits', description: 'The length of the key.' }),
    fingerprint_sha256: Type.String({
      ...label('Fingerprint'),
      description: 'The SHA-256 fingerprint, as `ssh-keygen -l` prints it.',
    }),
    fingerprint_md5: Type.String({
      description: 'The MD5 fingerprint, as `ssh-keygen -l -E md5` prints it.',
    }),
    comment: Type.String({ ...byOthers, description: 'The text after the key on its line.' }),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'type', 'bits', 'fingerprint_sha256', 'created_at'] },
);
export type SshKey = Static<typeof SshKey>;

export const CreateSshKey = Named(
  'CreateSshKey',
  Shape({
    name: ResourceName,
    public_key: Type.String({
      ...byRule,
      minLength: 1,
      maxLength: LINE,
      description:
        'One line in OpenSSH format: an Ed25519, ECDSA, RSA (2048 bits or more) or security key (`sk-…`). Stored as one line with single spaces.',
    }),
    labels: Type.Optional({ ...Labels, default: {} }),
  }),
);
export type CreateSshKey = Static<typeof CreateSshKey>;

const HEX = '[0-9a-fA-F]{2}';

/** Allows spaces, because a `+` that the client did not encode in the query arrives as a space. */
export const Fingerprint = Type.Unsafe<string>({
  type: 'string',
  ...written(
    `^(SHA256:[A-Za-z0-9+/ ]{43}|(MD5:)?(${HEX}:){15}${HEX})$`,
    'Must be a fingerprint as `ssh-keygen -l` prints it: SHA256: and 43 characters, or MD5: and 16 pairs of digits.',
  ),
  description: 'Only the key with this fingerprint: `SHA256:…`, or MD5 with or without `MD5:` before it.',
});

/** The column and value to search for: normalises a SHA256 or MD5 fingerprint to the format of `ssh-keygen -l`. */
export function fingerprintColumns(text: string | undefined) {
  if (text === undefined) return {};
  if (text.startsWith('SHA256:')) return { fingerprint_sha256: text.replaceAll(' ', '+') };
  return { fingerprint_md5: `MD5:${text.replace('MD5:', '').toLowerCase()}` };
}

export const keys = view(sshKeys, {
  schema: SshKey,
  example: exampleOf(SshKey, {
    id: 'sshkey_01jqzv5c3hf8kan6q2v9s7m5dt',
    name: 'deploy',
    labels: { team: 'platform' },
    public_key:
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINCbFdj2n2P6FIc8r2BjW+Oq6kNUkycinww4i3Z3kahB deploy@example.com',
    bits: 256,
    fingerprint_sha256: 'SHA256:gzOsWgJARAxMj+WMG1cWMLSTSb8C4mEQG2ont5Nvs48',
    fingerprint_md5: 'MD5:a1:a2:b7:ff:e4:7c:d5:8e:0d:3a:2d:36:24:ca:37:da',
    comment: 'deploy@example.com',
  }),
});
