/**
 * The events of a key's life. They name the key only by its public part, because the secret is not stored.
 */
import type { NewEvent } from '../../kernel/events/event.ts';
import { type Actor, labelOf } from '../actor.ts';
import type { KeyRow } from './store.ts';

type Key = Pick<KeyRow, 'id' | 'name' | 'public_id'>;

function keyEvent(type: string, key: Key, what: string, data: Record<string, unknown> = {}): NewEvent {
  return {
    type: `api_key.${type}`,
    resource: { type: 'api_key', id: key.id, name: key.name },
    message: `The API key ${key.name} ${what}.`,
    data: { public_id: key.public_id, ...data },
  };
}

export const createdEvent = (key: KeyRow): NewEvent =>
  keyEvent('created', key, 'was created', {
    owner_id: key.owner_id,
    permissions: key.permissions,
    approval: key.approval,
    expires_at: key.expires_at?.toISOString() ?? null,
  });

/** `old` is the key as stored after the roll. */
export const rolledEvent = (old: KeyRow): NewEvent =>
  keyEvent('rolled', old, 'was replaced by a new key and expires soon', {
    replaced_by: old.replaced_by,
    expires_at: old.expires_at?.toISOString(),
  });

export const suspendedEvent = (key: Key): NewEvent => keyEvent('suspended', key, 'is suspended');
export const resumedEvent = (key: Key): NewEvent => keyEvent('resumed', key, 'works again');

export const revokedEvent = (key: Key, actor: Actor, reason: string | null): NewEvent =>
  keyEvent('revoked', key, 'was revoked', { by: labelOf(actor), reason });
