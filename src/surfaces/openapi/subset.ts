/** Extracts a self-contained part of the document: the chosen operations and all components that they refer to. */
import { commonHeaders } from './headers.ts';
import type { Components, OpenApiDocument, Operation, PathItem } from './model.ts';
import { withTags } from './tags.ts';

function collectReferences(value: unknown, found: Set<string>): void {
  if (value === null || typeof value !== 'object') return;
  if ('$ref' in value && typeof value.$ref === 'string') found.add(value.$ref);
  for (const part of Object.values(value)) collectReferences(part, found);
}

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Collects all references that are directly or indirectly reachable. */
export function reach(from: unknown, sections: Sections): Set<string> {
  const reached = new Set<string>();
  let open = new Set<string>();
  collectReferences(from, open);
  while (open.size > 0) {
    const next = new Set<string>();
    for (const reference of open) {
      reached.add(reference);
      const [, , section = '', name = ''] = reference.split('/');
      collectReferences(sections[section]?.[name], next);
    }
    open = new Set([...next].filter((reference) => !reached.has(reference)));
  }
  return reached;
}

/** Removes the components that no operation and no webhook refers to. */
export function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const { securitySchemes, ...sections } = document.components;
  const { paths, webhooks, 'x-common-headers': headers } = document;
  const reached = reach([paths, webhooks, headers], sections);
  const kept = Object.entries(sections).map(([section, members]) => [
    section,
    Object.fromEntries(
      Object.entries(members).filter(([name]) => reached.has(`#/components/${section}/${name}`)),
    ),
  ]);
  return { ...document, components: { ...Object.fromEntries(kept), securitySchemes } as Components };
}

function keepOperations(item: PathItem, allowed: ReadonlySet<string>): PathItem | null {
  const kept = Object.entries(item).filter(([, operation]) => allowed.has(operation.operationId));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

const isAboutEvents = (operation: Operation): boolean =>
  ['event', 'webhook'].includes(operation['x-resource'].name);

/** Webhooks are kept if one of the operations is about events or webhooks. */
export function forCaller(
  document: OpenApiDocument,
  allowedOperationIds: ReadonlySet<string>,
): OpenApiDocument {
  const paths = Object.entries(document.paths).flatMap(([path, item]) => {
    const kept = keepOperations(item, allowedOperationIds);
    return kept === null ? [] : [[path, kept] as const];
  });
  const operations = paths.flatMap(([, item]): Operation[] => Object.values(item));
  const hasEvents = operations.some(isAboutEvents);
  const webhooks = hasEvents ? document.webhooks : {};
  const used = new Set(
    [...operations, ...Object.values(webhooks).map(({ post }) => post)].flatMap(({ tags }) => tags),
  );
  return withoutUnused({
    ...document,
    ...withTags(document, used),
    paths: Object.fromEntries(paths),
    webhooks,
    'x-common-headers': commonHeaders(operations.some((operation) => operation['x-access'] !== 'read')),
  });
}
