/** The query parameters and the answer that all lists share. */
import {
  type Meanings,
  Named,
  Nullable,
  OneOf,
  ResourceName,
  Shape,
  Time,
  type TProperties,
  type TSchema,
  Type,
} from '../schema.ts';

const paging = {
  limit: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'How many rows at most.',
  }),
  cursor: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        '`next_cursor` of the previous page, with the same filters. Without it, the list starts at the first row.',
    }),
  ),
};

/** The parameters of pages, with another size than most lists have. */
export const pagesOf = (maximum: number, initial: number) => ({
  ...paging,
  limit: { ...paging.limit, maximum, default: initial },
});

/** A list declares only the filters it supports, so that an unsupported parameter is refused instead of ignored. */
export const dateFilters = {
  created_after: Type.Optional({ ...Time, description: 'Only rows created at or after this time.' }),
  created_before: Type.Optional({ ...Time, description: 'Only rows created before this time.' }),
};

export const nameFilter = {
  name: Type.Optional({ ...ResourceName, description: 'Only the row with exactly this name.' }),
};

export const labelFilter = {
  label_selector: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'Only rows whose labels match all terms, such as `env=prod,role in (web,api),!legacy`.',
    }),
  ),
};

/** What a value of `sort` means. Members whose name ends in `_at` are times. */
function orderOf(value: string): string {
  const isReversed = value.startsWith('-');
  if (value.endsWith('_at')) return isReversed ? 'Latest first.' : 'Earliest first.';
  return isReversed ? 'In descending order.' : 'In ascending order.';
}

export function ListQuery<P extends TProperties, const S extends readonly string[]>(
  filters: P,
  options: { sort: S; maximum?: number; initial?: number },
) {
  const { sort, maximum = 200, initial = 50 } = options;
  return Shape({
    ...pagesOf(maximum, initial),
    sort: OneOf<S[number]>(
      Object.fromEntries(sort.map((value) => [value, orderOf(value)])) as Meanings<S[number]>,
      {
        default: sort[0],
        description: 'The order of the rows.',
      },
    ),
    ...filters,
  });
}

export const NextCursor = Named(
  'NextCursor',
  Nullable(Type.String({ description: 'The `cursor` of the next page; null on the last page.' })),
);

export function List<T extends TSchema, M extends TProperties = Record<never, never>>(row: T, more?: M) {
  return Shape({
    data: Type.Array(row, { description: 'The rows of this page.' }),
    next_cursor: NextCursor,
    ...((more ?? {}) as M),
  });
}
