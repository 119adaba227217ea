/** What "Create Key" offers: presets, and all permissions by family and resource, derived from the registry. */
import { presetNames, presetPatterns, presets } from '../../kernel/access/presets.ts';
import type { RoleName } from '../../kernel/access/roles.ts';
import { contractPermissions } from '../../kernel/access/vocabulary.ts';
import type { Registry } from '../../kernel/registry.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import { exceedsRole } from './ceiling.ts';

/** Words of slugs that people write in another way. */
const WORDS: Readonly<Record<string, string>> = {
  api: 'API',
  vm: 'machine',
  vms: 'machines',
  ssh: 'SSH',
  ip: 'IP',
  isos: 'ISOs',
  vpn: 'VPN',
  apis: 'APIs',
};

function titleOf(slug: string): string {
  const words = slug.split('-').map((word) => WORDS[word] ?? word);
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

interface PermissionOption {
  readonly pattern: string;
  readonly access: string;
  readonly summary: string;
  readonly sensitive: boolean;
  /** Whether the role of the member allows it. */
  readonly allowed: boolean;
}

export function keyOptions(registry: Registry, catalogue: Pick<Catalogue, 'products'>, role: RoleName) {
  const vocabulary = contractPermissions(registry);
  const summaries = new Map<string, string[]>();
  for (const { permission, summary } of registry.endpoints)
    summaries.set(permission, [...(summaries.get(permission) ?? []), summary]);
  const families = new Map<string, Map<string, PermissionOption[]>>();
  for (const permission of vocabulary.permissions) {
    const [family = '', resource = '', access = ''] = permission.split(':');
    const resources = families.get(family) ?? new Map<string, PermissionOption[]>();
    families.set(family, resources);
    const option = {
      pattern: permission,
      access,
      summary: (summaries.get(permission) ?? []).join('; '),
      sensitive: vocabulary.sensitive.has(permission),
      allowed: !exceedsRole(permission, role, vocabulary),
    };
    resources.set(resource, [...(resources.get(resource) ?? []), option]);
  }
  const nameOf = (family: string): string =>
    catalogue.products.find((product) => product.family === family)?.name ?? titleOf(family);
  return {
    presets: presetNames.map((id) => ({
      id,
      title: presets[id].title,
      description: presets[id].description,
      permissions: presetPatterns(id, vocabulary, role),
      approval: presets[id].approval ?? null,
      expires_in: presets[id].expiresIn ?? null,
    })),
    families: [...families].map(([id, resources]) => ({
      id,
      title: nameOf(id),
      resources: [...resources].map(([resource, permissions]) => ({
        id: resource,
        title: titleOf(resource),
        permissions,
      })),
    })),
  };
}
