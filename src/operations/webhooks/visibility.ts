/**
 * Decides which events a webhook receives: those of its event types that the key that created it could read
 * and that its owner's role may still read. The key's permissions are stored at that time, so a key with few
 * permissions cannot see more by subscribing.
 */
import { allows } from '../../kernel/access/permissions.ts';
import { type RoleName, roleAllows } from '../../kernel/access/roles.ts';
import { matchesType } from '../../kernel/events/patterns.ts';
import type { Registry } from '../../kernel/registry.ts';

export interface Audience {
  readonly id: string;
  readonly event_types: readonly string[];
  readonly visible_permissions: readonly string[];
  /** `null` if the webhook has no active owner any more. */
  readonly owner_role: RoleName | null;
  readonly products: readonly string[];
}

export interface Happening {
  readonly type: string;
  readonly resource_type: string | null;
  readonly resource_id: string | null;
}

const TEST_TYPE = 'webhook.test';

function mayHear(
  registry: Pick<Registry, 'subjects' | 'sensitive'>,
  audience: Audience,
  { resource_type }: Pick<Happening, 'resource_type'>,
): boolean {
  const { owner_role, visible_permissions, products } = audience;
  const permission =
    resource_type === null ? 'account:events:read' : registry.subjects.get(resource_type)?.permission;
  if (permission === undefined || owner_role === null) return false;
  const [family = ''] = permission.split(':');
  return (
    allows(visible_permissions, permission) &&
    roleAllows(owner_role, permission, registry.sensitive.has(permission)) &&
    (family === 'account' || products.includes(family))
  );
}

export function hears(
  registry: Pick<Registry, 'subjects' | 'sensitive'>,
  audience: Audience,
  event: Happening,
): boolean {
  const isAboutItself = event.resource_type === 'webhook' && event.resource_id === audience.id;
  if (event.type === TEST_TYPE) return isAboutItself;
  // An event about its own failure would only be one more message that fails.
  if (isAboutItself) return false;
  return (
    audience.event_types.some((pattern) => matchesType(pattern, event.type)) &&
    mayHear(registry, audience, event)
  );
}
