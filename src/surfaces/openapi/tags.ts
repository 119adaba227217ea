/** A tag for each resource, and a group of tags for each family: tags of OpenAPI 3.1 cannot contain others. */
import type { Family } from '../../kernel/registry.ts';
import { topicsOf } from '../../kernel/topics.ts';
import type { OpenApiDocument } from './model.ts';

export function tagsOf(families: readonly Family[]): Pick<OpenApiDocument, 'tags' | 'x-tagGroups'> {
  const groups = families
    .map((family) => ({ family, topics: topicsOf(family) }))
    .filter(({ topics }) => topics.length > 0);
  return {
    tags: groups
      .flatMap(({ topics }) => topics)
      .map(({ name, title, purpose }) => ({ name, 'x-displayName': title, description: purpose })),
    'x-tagGroups': groups.map(({ family, topics }) => ({
      name: family.title,
      description: family.description,
      tags: topics.map(({ name }) => name),
    })),
  };
}

/** Keeps the tags that are used. */
export function withTags(
  { tags, 'x-tagGroups': groups }: Pick<OpenApiDocument, 'tags' | 'x-tagGroups'>,
  used: ReadonlySet<string>,
): Pick<OpenApiDocument, 'tags' | 'x-tagGroups'> {
  return {
    tags: tags.filter(({ name }) => used.has(name)),
    'x-tagGroups': groups
      .map((group) => ({ ...group, tags: group.tags.filter((name) => used.has(name)) }))
      .filter((group) => group.tags.length > 0),
  };
}
