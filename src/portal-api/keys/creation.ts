import { issueKey } from '../../kernel/access/key-format.ts';
import { lifetimes } from '../../kernel/access/lifetimes.ts';
import { presetNames, presetPatterns, presets } from '../../kernel/access/presets.ts';
import { type Approval, approvals } from '../../kernel/access/tables.ts';
import type { Vocabulary } from '../../kernel/access/vocabulary.ts';
import type { Warning } from '../../kernel/effect.ts';
import { newId } from '../../kernel/ids.ts';
import { type FieldError, Problem } from '../../kernel/problems/problem.ts';
import { OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { AccountRow } from '../accounts/store.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check, Line, Money, refuse } from '../input.ts';
import { type Limits, requireRoom } from '../limits.ts';
import { findActiveOwner, findMember, type MemberRow } from '../members/store.ts';
import { type Changed, change } from '../portal-write.ts';
import { patternFaults, patternWarnings } from './ceiling.ts';
import { createdEvent } from './events.ts';
import { defaultLifetime, lifetimeFaults, lifetimeHours } from './lifetime.ts';
import { countKeys, countKeysOf, findLivingByName, insertKey, type KeyRow } from './store.ts';
import { type KeyView, viewKey } from './view.ts';

const CreateKey = Shape({
  account_id: Type.String(),
  name: Line(1, 64),
  /** Only the provider's staff may name an owner; a member who creates a key owns it. */
  owner_id: Type.Optional(Type.String()),
  expires_in: Type.Optional(OneOf(lifetimes)),
  permissions: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 100 })),
  preset: Type.Optional(OneOf(presetNames)),
  approval: Type.Optional(OneOf(approvals)),
  /** Calls that raise the monthly cost by more than this need approval too. */
  approval_over_monthly: Type.Optional(Money),
  notes: Type.Optional(Line(0, 255)),
});
export type CreateKey = Static<typeof CreateKey>;

/** The known permissions and the limits that a new key is checked against. */
export interface KeyRules {
  readonly vocabulary: Vocabulary;
  readonly catalogue: Limits;
}

export interface NewKey {
  readonly key: KeyView;
  /** Shown once; the database stores only its hash. */
  readonly secret: string;
  readonly warnings: readonly Warning[];
}

async function findOwner(tx: Tx, actor: Actor, account: AccountRow, named?: string) {
  if (actor.kind === 'member') return findMember(tx, account.id, actor.memberId);
  return named === undefined ? findActiveOwner(tx, account.id) : findMember(tx, account.id, named);
}

function ownerFaults(actor: Actor, owner: MemberRow | undefined, input: Partial<CreateKey>): FieldError[] {
  const pointer = '/owner_id';
  if (actor.kind === 'member' && input.owner_id !== undefined && input.owner_id !== actor.memberId) {
    return [
      {
        pointer,
        code: 'incompatible',
        detail: 'You own the keys that you create; transfer the key afterwards.',
      },
    ];
  }
  if (owner === undefined) {
    return [{ pointer, code: 'unknown_reference', detail: 'The account has no such member to own the key.' }];
  }
  if (owner.status === 'active' && owner.role !== 'billing') return [];
  const reason = owner.status === 'active' ? 'has the role billing' : `is ${owner.status}`;
  return [{ pointer, code: 'incompatible', detail: `${owner.name} ${reason} and may not own keys.` }];
}

function choiceFaults({ permissions, preset }: CreateKey): FieldError[] {
  const pointer = '/permissions';
  if (permissions !== undefined && preset !== undefined) {
    const detail = 'Give permissions or a preset, not both.';
    return [{ pointer, code: 'mutually_exclusive', detail }];
  }
  if (permissions !== undefined || preset !== undefined) return [];
  return [{ pointer, code: 'required', detail: 'Give at least one permission, or a preset.' }];
}

function approvalFaults(approval: Approval, { approval_over_monthly }: CreateKey): FieldError[] {
  if (approval !== 'off' || approval_over_monthly === undefined) return [];
  const detail = 'This goes with the approval destructive or writes; with off, nothing needs approval.';
  return [{ pointer: '/approval_over_monthly', code: 'incompatible', detail }];
}

export async function requireFreeName(tx: Tx, accountId: string, name: string): Promise<void> {
  const holder = await findLivingByName(tx, accountId, name);
  if (holder === undefined) return;
  throw new Problem('name_taken', {
    detail: `The API key ${holder.id} of this account has the name ${name}.`,
    extra: { existing_id: holder.id },
  });
}

interface PlannedKey extends Pick<KeyRow, 'permissions' | 'approval' | 'expires_in'> {
  readonly owner: MemberRow;
}

/** Decides what the key will have. Refuses what cannot be created now, and writes nothing. */
export async function planKey(
  tx: Tx,
  actor: Actor,
  account: AccountRow,
  input: CreateKey,
  { vocabulary, catalogue }: KeyRules,
): Promise<PlannedKey> {
  await authorise(tx, actor, account.id, 'member');
  const owner = await findOwner(tx, actor, account, input.owner_id);
  check(CreateKey, input, (sound) => [
    ...choiceFaults(input),
    ...ownerFaults(actor, owner, sound),
    ...lifetimeFaults(sound.expires_in, account),
    ...patternFaults(sound.permissions ?? [], vocabulary, owner?.role),
  ]);
  if (owner === undefined) throw new Error('A key without an owner passed the check.');
  const preset = input.preset === undefined ? undefined : presets[input.preset];
  const permissions = input.preset
    ? presetPatterns(input.preset, vocabulary, owner.role)
    : [...new Set(input.permissions)];
  const expires_in = input.expires_in ?? preset?.expiresIn ?? defaultLifetime(account);
  if (preset !== undefined) {
    const faults = patternFaults(permissions, vocabulary, owner.role);
    refuse([
      ...faults.map((fault) => ({ ...fault, pointer: '/preset' })),
      ...lifetimeFaults(expires_in, account),
    ]);
  }
  const approval = input.approval ?? preset?.approval ?? account.key_default_approval;
  refuse(approvalFaults(approval, input));
  await requireFreeName(tx, account.id, input.name);
  await requireRoom(tx, account.id, 'account.api-keys', { used: await countKeys(tx, account.id) }, catalogue);
  const used = await countKeysOf(tx, owner.id);
  await requireRoom(tx, account.id, 'account.api-keys-per-member', { used }, catalogue);
  return { owner, permissions, approval, expires_in };
}

/** Creates the key within a portal write. */
export async function makeKey(
  tx: Tx,
  actor: Actor,
  account: AccountRow,
  input: CreateKey,
  rules: KeyRules,
): Promise<Changed<NewKey>> {
  const { owner, permissions, approval, expires_in } = await planKey(tx, actor, account, input, rules);
  const { key: secret, publicId, hash } = issueKey();
  const row = await insertKey(tx, {
    id: newId('api_key'),
    account_id: account.id,
    public_id: publicId,
    hash,
    name: input.name,
    permissions,
    preset: input.preset ?? null,
    approval,
    approval_over_monthly: input.approval_over_monthly ?? null,
    owner_id: owner.id,
    owner_name: owner.name,
    expires_in,
    lifetimeHours: lifetimeHours(expires_in),
    notes: input.notes ?? '',
  });
  const after = {
    name: row.name,
    public_id: publicId,
    permissions,
    approval,
    approval_over_monthly: row.approval_over_monthly,
    owner_id: owner.id,
    expires_in,
  };
  return {
    result: { key: viewKey(row), secret, warnings: patternWarnings(permissions, rules.vocabulary) },
    resource: { type: 'api_key', id: row.id, name: row.name },
    changes: [{ pointer: '', before: null, after }],
    events: [createdEvent(row)],
  };
}

export async function createKey(db: Db, actor: Actor, input: CreateKey, rules: KeyRules): Promise<NewKey> {
  return change(db, actor, 'createApiKey', input.account_id, (tx, account) =>
    makeKey(tx, actor, account, input, rules),
  );
}
