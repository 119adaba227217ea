import type { Call } from '../../../kernel/call.ts';
import { newId } from '../../../kernel/ids.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { lockDeclarations } from '../../../kernel/named/store.ts';
import { List } from '../../../kernel/pages/list.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint, noContent, ok } from '../../../kernel/record.ts';
import { Id, OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { forgetResource, noteResource } from '../../../resources/inventory/store.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { type PublicKey, readPublicKey } from './public-key.ts';
import {
  CreateSshKey,
  canonicalFingerprint,
  exampleSshKey,
  Fingerprint,
  presentSshKey,
  SshKey,
  sshKeyEtag,
} from './schema.ts';
import { findSshKey, insertSshKey, listSshKeys, lockSshKey, removeSshKey } from './store.ts';
import type { SshKeyRow } from './table.ts';

const SshKeyId = Shape({ id: Id('sshkey') });

export const listVpsSshKeys = endpoint({
  id: 'listVpsSshKeys',
  method: 'GET',
  path: '/flexible-vps/v1/ssh-keys',
  summary: 'List SSH keys',
  permission: 'flexible-vps:ssh-keys:read',
  access: 'read',
  resource: { name: 'ssh_key', role: 'list' },
  query: ResourceQuery({ fingerprint: Type.Optional(Fingerprint) }),
  answers: { 200: List(SshKey) },
  problems: [],
  example: { answer: { status: 200, body: { data: [exampleSshKey], next_cursor: null } } },
  async handle(call) {
    const { fingerprint } = call.query;
    const wanted = fingerprint === undefined ? undefined : canonicalFingerprint(fingerprint);
    const { rows, nextCursor } = await listSshKeys(call, 'listVpsSshKeys', wanted);
    return ok({ data: rows.map(presentSshKey), next_cursor: nextCursor });
  },
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

async function store(call: Call<unknown, unknown, CreateSshKey>, key: PublicKey): Promise<SshKeyRow> {
  const { db, caller, body } = call;
  const accountId = caller.account.id;
  const namesake = await findSshKey(db, accountId, 'name', body.name);
  if (namesake !== undefined) throw new Problem('name_taken', { extra: { existing_id: namesake.id } });
  await requireRoom(call, 'flexible-vps.ssh-keys');
  const row = await insertSshKey(db, {
    id: newId('ssh_key'),
    account_id: accountId,
    name: body.name,
    labels: body.labels ?? {},
    public_key: key.line,
    type: key.type,
    bits: key.bits,
    fingerprint_sha256: key.sha256,
    fingerprint_md5: key.md5,
    comment: key.comment,
  });
  await noteResource(db, {
    id: row.id,
    account_id: accountId,
    family: 'flexible-vps',
    type: 'ssh_key',
    name: row.name,
    status: 'available',
    location: null,
    labels: row.labels,
    parent_id: null,
    api_key_id: caller.key.id,
    configuration: null,
  });
  return row;
}

export const createVpsSshKey = endpoint({
  id: 'createVpsSshKey',
  method: 'POST',
  path: '/flexible-vps/v1/ssh-keys',
  summary: 'Store an SSH public key',
  description:
    'For use by its id when machines are created, redeployed or rescued. A key the account has already is refused with the id under which it has it, or answered as it is with `?if_exists=return`.',
  permission: 'flexible-vps:ssh-keys:write',
  access: 'write',
  resource: { name: 'ssh_key', role: 'create' },
  query: Shape({
    if_exists: Type.Optional(
      OneOf(['return'], { description: '`return`: 200 with the key that is there, instead of 409.' }),
    ),
  }),
  body: CreateSshKey,
  answers: { 200: SshKey, 201: SshKey },
  problems: ['name_taken', 'quota_exceeded', 'secret_in_text', 'ssh_key_exists'],
  example: {
    body: {
      name: exampleSshKey.name,
      public_key: exampleSshKey.public_key,
      labels: exampleSshKey.labels,
    },
    answer: { status: 201, body: exampleSshKey },
  },
  async handle(call) {
    const { db, caller, body, query, effect, event } = call;
    const key = requirePublicKey(body.public_key);
    await lockDeclarations(db, caller.account.id, 'ssh_key');
    const existing = await findSshKey(db, caller.account.id, 'fingerprint_sha256', key.sha256);
    if (existing !== undefined) {
      const { id, name } = existing;
      if (query.if_exists !== 'return') throw new Problem('ssh_key_exists', { extra: { existing_id: id } });
      effect({ action: 'none', type: 'ssh_key', id, name });
      return ok(presentSshKey(existing));
    }
    const row = await store(call, key);
    const resource = { type: 'ssh_key', id: row.id, name: row.name };
    effect({
      action: 'create',
      ...resource,
      changes: [{ pointer: '/fingerprint_sha256', before: null, after: row.fingerprint_sha256 }],
    });
    event({ type: 'ssh_key.created', resource, message: `The SSH key ${row.name} was stored.` });
    return created(presentSshKey(row));
  },
});

export const getVpsSshKey = endpoint({
  id: 'getVpsSshKey',
  method: 'GET',
  path: '/flexible-vps/v1/ssh-keys/{id}',
  summary: 'Get an SSH key',
  permission: 'flexible-vps:ssh-keys:read',
  access: 'read',
  resource: { name: 'ssh_key', role: 'read' },
  params: SshKeyId,
  answers: { 200: SshKey },
  problems: [],
  example: { params: { id: exampleSshKey.id }, answer: { status: 200, body: exampleSshKey } },
  async handle({ db, caller, params }) {
    const row = await findSshKey(db, caller.account.id, 'id', params.id);
    if (row === undefined) throw new Problem('not_found');
    return ok(presentSshKey(row));
  },
});

export const deleteVpsSshKey = endpoint({
  id: 'deleteVpsSshKey',
  method: 'DELETE',
  path: '/flexible-vps/v1/ssh-keys/{id}',
  summary: 'Delete an SSH key',
  description: 'Machines keep what was installed in them.',
  permission: 'flexible-vps:ssh-keys:delete',
  access: 'destructive',
  resource: { name: 'ssh_key', role: 'delete' },
  params: SshKeyId,
  answers: { 204: null },
  problems: [],
  example: { params: { id: exampleSshKey.id }, answer: { status: 204, body: null } },
  async handle({ db, caller, params, checkVersion, effect, event }) {
    const row = await lockSshKey(db, caller.account.id, params.id);
    if (row === undefined) throw new Problem('not_found');
    checkVersion(sshKeyEtag(row));
    await removeSshKey(db, row.id);
    await forgetResource(db, row.id);
    const resource = { type: 'ssh_key', id: row.id, name: row.name };
    effect({ action: 'delete', ...resource });
    event({ type: 'ssh_key.deleted', resource, message: `The SSH key ${row.name} was deleted.` });
    return noContent;
  },
});
