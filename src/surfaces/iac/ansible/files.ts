/** The Ansible collection: one role per resource that can be managed, and one that all of them share. */
import type { OpenApiDocument } from '../../openapi/model.ts';
import { entriesOf } from '../../openapi/resolved.ts';
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import type { Details, DetailsOf } from './details.ts';
import { playbookFiles, playbookParts } from './playbooks.ts';
import { collectionReadme, roleReadme } from './readme.ts';
import { COLLECTION, tasksOf } from './role.ts';
import { sharedTasks } from './shared-tasks.ts';
import { sharedTemplates } from './shared-templates.ts';
import { argumentSpecs, roleDefaults } from './variables.ts';
import { headed, yamlOf } from './yaml.ts';

interface AnsibleSource {
  readonly model: IacModel;
  readonly document: OpenApiDocument;
  readonly detailsOf: DetailsOf;
  /** The SHA-256 of the document. */
  readonly hash: string;
}

const MINIMUM = '>=2.14.0';

function operationPath(document: OpenApiDocument): string {
  const path = entriesOf(document).find(({ id }) => id === 'getOperation')?.path ?? '';
  return path.replace(/\{\w+\}/, '{{ hostplane_operation_id }}');
}

function sharedRole({ model, document }: AnsibleSource): Record<string, string> {
  return {
    ...sharedTasks(operationPath(document)),
    ...sharedTemplates(model.baseUrl),
    'meta/main.yml': yamlOf(metaOf('What the other roles have in common')),
  };
}

const metaOf = (description: string) => ({
  galaxy_info: {
    author: 'Hostplane',
    description,
    license: 'Apache-2.0',
    min_ansible_version: MINIMUM.replace('>=', ''),
  },
  dependencies: [],
});

function roleFiles(
  resource: ManagedResource,
  details: Details,
  source: AnsibleSource,
): Record<string, string> {
  return {
    'README.md': roleReadme(resource, details, source),
    'defaults/main.yml': yamlOf(roleDefaults(resource, details)),
    'meta/argument_specs.yml': yamlOf(argumentSpecs(resource, details)),
    'meta/main.yml': yamlOf(metaOf(resource.title)),
    'tasks/main.yml': yamlOf(tasksOf(resource, details)),
  };
}

/** All files of the collection, by path. */
export function ansibleFiles(source: AnsibleSource): Record<string, string> {
  const { model, document, detailsOf, hash } = source;
  const [namespace, name] = COLLECTION.split('.');
  const roles = [
    ['shared', sharedRole(source)] as const,
    ...model.resources.map(
      (resource) => [resource.name, roleFiles(resource, detailsOf(resource), source)] as const,
    ),
  ];
  const files: Record<string, string> = {
    'galaxy.yml': yamlOf({
      namespace,
      name,
      version: document.info.version,
      readme: 'README.md',
      authors: [model.title],
      description: `Roles for the resources of the ${model.title}`,
      license: ['Apache-2.0'],
    }),
    'meta/runtime.yml': yamlOf({ requires_ansible: MINIMUM }),
    'README.md': collectionReadme(model, hash),
    ...playbookFiles(model, detailsOf, hash),
  };
  for (const [role, own] of roles)
    for (const [path, text] of Object.entries(own)) files[`roles/${role}/${path}`] = text;
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`ansible/${path}`, headed(path, text, hash)]),
  );
}

export function ansibleParts(model: IacModel, detailsOf: DetailsOf): Part[] {
  const roles = model.resources.map((resource): Part => {
    const { name, title, description: text } = resource;
    const { permissions } = detailsOf(resource);
    return {
      tool: 'ansible',
      kind: 'role',
      name,
      title,
      text,
      path: `ansible/roles/${name}`,
      archive: null,
      permissions,
    };
  });
  return [...playbookParts(model, detailsOf), ...roles];
}
