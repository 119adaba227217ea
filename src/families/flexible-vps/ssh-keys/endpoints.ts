import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint, ok } from '../../../kernel/record.ts';
import { OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { deleteOf, listOf, readOf } from '../../../resources/records/records.ts';
import { type PublicKey, readPublicKey } from './public-key.ts';
import { sshKeys } from './resource.ts';
import { CreateSshKey, Fingerprint, fingerprintColumns, keys, SshKey } from './schema.ts';
import { findByFingerprint } from './store.ts';

export const listVpsSshKeys = listOf(keys, {
  id: 'listVpsSshKeys',
  query: ResourceQuery({ fingerprint: Type.Optional(Fingerprint) }),
  where: ({ query }) => fingerprintColumns(query.fingerprint),
});

const MOST_BYTES = 16 * 1024;

function requirePublicKey(text: string): PublicKey {
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw invalid([
      { pointer: '/public_key', code: 'too_long', detail: `Must not have more than ${MOST_BYTES} bytes.` },
    ]);
  const reading = readPublicKey(text);
  if (reading.key !== null) return reading.key;
  const error = { pointer: '/public_key', code: 'invalid_format', detail: reading.fault } as const;
  if (reading.isPrivate) throw new Problem('secret_in_text', { detail: reading.fault, errors: [error] });
  throw invalid([error]);
}

const columnsOf = ({ line, type, bits, sha256, md5, comment }: PublicKey) => ({
  public_key: line,
  type,
  bits,
  fingerprint_sha256: sha256,
  fingerprint_md5: md5,
  comment,
});

export const createVpsSshKey = endpoint({
  id: 'createVpsSshKey',
  method: 'POST',
  path: '/flexible-vps/v1/ssh-keys',
  summary: 'Store an SSH public key',
  description:
    'You can name the id of the key when you create, redeploy or rescue a machine. If the account already has the key, the call answers 409 with its id, or 200 with the stored key if you add `?if_exists=return`.',
  permission: 'flexible-vps:ssh-keys:write',
  access: 'write',
  resource: { name: 'ssh_key', role: 'create' },
  query: Shape({
    if_exists: Type.Optional(
      OneOf(
        { return: 'The answer is 200 with the stored key.' },
        { description: 'What to do if the account already has this key. Without it, the answer is 409.' },
      ),
    ),
  }),
  body: CreateSshKey,
  answers: { 200: SshKey, 201: SshKey },
  problems: ['name_taken', 'quota_exceeded', 'secret_in_text', 'ssh_key_exists'],
  example: {
    body: { name: 'deploy', public_key: keys.example.public_key, labels: { team: 'platform' } },
    answer: { status: 201, body: keys.example },
  },
  async handle(call) {
    const { db, caller, body, query } = call;
    const key = requirePublicKey(body.public_key);
    // The fingerprint is checked before the name: a stored key answers `ssh_key_exists`, not `name_taken`.
    await sshKeys.lockNames(call);
    const existing = await findByFingerprint(db, caller.account.id, key.sha256);
    if (existing !== undefined) {
      if (query.if_exists !== 'return')
        throw new Problem('ssh_key_exists', { extra: { existing_id: existing.id } });
      call.effect({ action: 'none', ...sshKeys.ref(existing) });
      return ok(keys.present(call, existing));
    }
    await sshKeys.requireFree(call, body.name);
    const { name, labels = {} } = body;
    const columns = { name, labels, ...columnsOf(key) };
    return created(keys.present(call, await sshKeys.create(call, columns, ['fingerprint_sha256'])));
  },
});

export const getVpsSshKey = readOf(keys, { id: 'getVpsSshKey' });

export const deleteVpsSshKey = deleteOf(keys, {
  id: 'deleteVpsSshKey',
  description: 'The key stays installed on machines that were created with it.',
});
