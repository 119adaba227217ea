import { Type } from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';

/** In a path: the account's own things have an id, those of the provider only a slug. */
export const IdOrSlug = (prefix: string, noun: string) =>
  Type.Unsafe<string>({
    type: 'string',
    maxLength: 63,
    ...written(
      `^(${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$`,
      `Must be an id that starts with ${prefix}_, or a slug of lower-case letters, digits, dots and hyphens.`,
    ),
    description: `The id of the ${noun}, or the slug of a public ${noun}.`,
  });
