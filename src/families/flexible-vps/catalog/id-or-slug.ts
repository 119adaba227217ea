import { Type } from '../../../kernel/schema.ts';

/** In a path: the account's own things have an id, those of the provider only a slug. */
export const IdOrSlug = (prefix: string, noun: string) =>
  Type.Unsafe<string>({
    type: 'string',
    maxLength: 63,
    pattern: `^(${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$`,
    description: `The id of the ${noun}, or the slug of a public ${noun}.`,
  });
