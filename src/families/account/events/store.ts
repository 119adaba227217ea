import { type RawBuilder, sql } from 'kysely';
import type { Severity } from '../../../kernel/events/event.ts';
import type { EventRow } from '../../../kernel/events/schema.ts';
import type { Db } from '../../../store/database.ts';

/** The position in the feed at which a read starts. */
export type Place =
  | { readonly kind: 'after'; readonly sequence: number }
  | { readonly kind: 'since'; readonly at: Date }
  | { readonly kind: 'oldest' }
  | { readonly kind: 'now' };

export interface FeedFilter {
  readonly types: readonly string[] | null;
  readonly family: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly severities: readonly Severity[];
  /** The resource types that the key may read. */
  readonly visible: readonly string[];
  /** A caller also sees the events of its own operations, even if it may not read their resources. */
  readonly own: { readonly member: 'api_key_id' | 'member_id'; readonly ids: readonly string[] };
}

export interface FeedPage {
  readonly rows: readonly EventRow[];
  /** The sequence up to which this read covered all events; the next read starts after it. */
  readonly position: number;
  /** The sequence after which this read started. */
  readonly start: number;
  readonly oldest: number;
  readonly head: number;
}

function startOf(place: Place, accountId: string): RawBuilder<number> {
  switch (place.kind) {
    case 'after':
      return sql`${place.sequence}::bigint`;
    case 'since':
      return sql`coalesce((select min(sequence) - 1 from events
        where account_id = ${accountId} and occurred_at >= ${place.at}), head)`;
    case 'oldest':
      return sql`0::bigint`;
    case 'now':
      return sql`head`;
  }
}

const anyOf = (column: string, values: readonly string[] | null): RawBuilder<unknown> =>
  values === null ? sql`true` : sql`${sql.ref(column)} = any(${[...values]}::text[])`;

const equal = (column: string, value: string | null): RawBuilder<unknown> =>
  value === null ? sql`true` : sql`${sql.ref(column)} = ${value}`;

/**
 * Reads the head and the rows in one statement, so that both come from the same snapshot. Sequences are
 * assigned in commit order: a transaction that sees one event sees all earlier ones, and a page that is not
 * full covers everything up to the head.
 */
export async function readFeed(
  db: Db,
  accountId: string,
  place: Place,
  filter: FeedFilter,
  { limit, newestFirst }: { readonly limit: number; readonly newestFirst: boolean },
): Promise<FeedPage> {
  // A cursor is a place between two events. The newest first are read from there back, the oldest first onwards.
  const isBack = newestFirst && place.kind === 'after';
  const start = isBack ? sql`0::bigint` : startOf(place, accountId);
  const end = isBack ? sql`least(head, ${place.sequence}::bigint)` : sql`head`;
  const order = sql.raw(newestFirst ? 'desc' : 'asc');
  const { rows: found } = await sql<EventRow & { head: number; oldest: number; start: number }>`
    select bounds.head, bounds.oldest, bounds.start, e.*
    from (
      select head, ${start} as start, ${end} as upto,
             coalesce((select min(sequence) from events where account_id = ${accountId}), head + 1) as oldest
      from (select coalesce((select sequence from event_heads where account_id = ${accountId}), 0) as head) heads
    ) bounds
    left join lateral (
      select id, sequence, type, severity, family, resource_type, resource_id, resource_name, operation_id, actor,
             message, data, occurred_at
      from events
      where account_id = ${accountId} and sequence > bounds.start and sequence <= bounds.upto
        and ${anyOf('type', filter.types)} and ${anyOf('severity', filter.severities)}
        and ${equal('family', filter.family)} and ${equal('resource_type', filter.resourceType)}
        and ${equal('resource_id', filter.resourceId)}
        and (resource_type is null or ${anyOf('resource_type', filter.visible)}
             or (type like 'operation.%' and actor ->> ${sql.lit(filter.own.member)} = any(${filter.own.ids}::text[])))
      order by sequence ${order} limit ${limit}
    ) e on true
    order by e.sequence ${order}`.execute(db);
  const { head = 0, oldest = 1, start: begun = 0 } = found[0] ?? {};
  const rows = found.filter(({ id }) => id !== null);
  const last = rows.length === limit ? rows.at(-1)?.sequence : undefined;
  const position = newestFirst ? Math.max(0, (last ?? 1) - 1) : (last ?? Math.max(head, begun));
  return { rows, position, start: begun, oldest, head };
}
