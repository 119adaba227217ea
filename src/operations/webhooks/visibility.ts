/**
 * What a webhook is told: what it asked for, as far as the key that set it could read it (its patterns were written
 * down then) and its owner's role still may. So a narrow key cannot widen its view by subscribing.
 */
import { allows } from '../../kernel/access/permissions.ts';
import { type RoleName, roleAllows } from '../../kernel/access/roles.ts';
import { matchesType } from '../../kernel/events/patterns.ts';
import type { Registry } from '../../kernel/registry.ts';

export interface Audience {
  readonly id: string;
  readonly event_types: readonly string[];
  readonly visible_permissions: readonly string[];
  /** `null`: nobody answers for it any more. */
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
  // News of its own failing would only be one more thing to fail at.
  if (isAboutItself) return false;
  return (
    audience.event_types.some((pattern) => matchesType(pattern, event.type)) &&
    mayHear(registry, audience, event)
  );
}
