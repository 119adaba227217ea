import { OmittedTypes, sightOf } from '../../../kernel/access/visibility.ts';
import { SeverityShape } from '../../../kernel/events/event.ts';
import { EventPattern, MAX_PATTERNS } from '../../../kernel/events/patterns.ts';
import { EventView, presentEvent } from '../../../kernel/events/schema.ts';
import { Family } from '../../../kernel/families.ts';
import { endpoint, ok, type Stream } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Shape, type Static, Type } from '../../../kernel/schema.ts';
import { share } from '../../../kernel/shared-body.ts';
import { RESOURCES } from '../references.ts';
import { checkQuery, cursorAt, type FeedCall, readingFrom, startingPlace } from './feed.ts';
import type { FeedPage } from './store.ts';
import { subjectsAsked } from './subjects.ts';

const example: EventView = {
  id: 'evt_01jqzvbw8fh0xtq5a2k7r9t1mz',
  sequence: 42,
  type: 'api_key.revoked',
  severity: 'warning',
  occurred_at: '2026-03-01T10:00:00.000Z',
  family: 'account',
  resource: { type: 'api_key', id: 'key_01jqzv3c4he8kan6q2v9s7m5dt', name: 'ci' },
  operation_id: null,
  actor: { kind: 'api_key', api_key_id: 'key_01jqzv3c4he8kan6q2v9s7m5dt', member_id: null },
  message: 'The API key ci was revoked.',
  data: { public_id: 'EXAMPLEkey00', by: 'deploy', reason: 'rotated' },
  schema_version: 1,
};

const query = Shape({
  limit: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'The number of events in one answer at most.',
  }),
  cursor: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        '`next_cursor` of the previous page, or the `id` of a stream event. Works with any filters. Default: the oldest event.',
    }),
  ),
  since: Type.Optional(
    Type.Unsafe<string>({
      anyOf: [{ const: 'now' }, { type: 'string', format: 'date-time' }],
      description: 'Instead of a cursor: events from this time on, at most 30 days back, or `now`.',
    }),
  ),
  newest_first: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the newest events come first. Then `next_cursor`, sent with `newest_first` again, leads to older events.',
    }),
  ),
  types: Type.Optional(
    Type.Array(EventPattern, {
      minItems: 1,
      maxItems: MAX_PATTERNS,
      description:
        'Only these types: exact names, `vm.*` or `*`, separated by commas. `*` includes `operation.*`; other lists must name it.',
    }),
  ),
  family: Type.Optional({ ...Family, description: 'Only events of this family.' }),
  resource_id: Type.Optional(
    Ref(Type.String({ maxLength: 90, description: 'Only events about this resource.' }), RESOURCES),
  ),
  resource_type: Type.Optional(
    Type.String({ maxLength: 63, description: 'Only events about resources of this type.' }),
  ),
  severity_min: Type.Optional({ ...SeverityShape, description: 'Only events of at least this severity.' }),
});

const Feed = Shape({
  data: Type.Array(EventView, {
    description: 'The events of this page, the oldest first unless `newest_first` is true.',
  }),
  next_cursor: Type.String({
    description: 'Cursor of the next page; valid even if there are no further events yet.',
  }),
  omitted: OmittedTypes,
});

const bodies = new WeakMap<FeedPage, Static<typeof Feed>>();

function bodyOf(call: FeedCall, { rows, position }: FeedPage): Static<typeof Feed> {
  const { omitted } = sightOf(call.caller, subjectsAsked(call.services.registry, call.query));
  return { data: rows.map(presentEvent), next_cursor: cursorAt(call, position), omitted };
}

export const listEvents = endpoint({
  id: 'listEvents',
  method: 'GET',
  path: '/account/v1/events',
  summary: 'Read or stream the events of the account',
  description: [
    'What happened in the account, in the order in which it happened, kept 30 days; `sequence` has no gaps. You see events about resources that your key may read, and about operations that it started; `omitted` lists the types that are hidden.',
    'A feed has no last page: each page has a `next_cursor`, even an empty one. It stays valid as long as all events after it are kept. With `Prefer: wait=N` the answer waits for the first new event.',
    'With `Accept: text/event-stream` the answer is a stream of server-sent events: `id` is a cursor, `event` the type, `data` the Event. It begins now, or after `Last-Event-ID`, `cursor` or `since`. A comment is sent every 15 seconds. If the key loses its access, the stream ends with `event: end` and the problem code; after 60 minutes it is closed between two events. At most 5 streams per key and 20 per account.',
  ].join('\n\n'),
  permission: 'account:events:read',
  access: 'read',
  resource: { name: 'event', role: 'list' },
  waits: true,
  query,
  answers: { 200: Feed },
  problems: ['stream_limit_reached', 'cursor_expired'],
  example: {
    query: { types: ['api_key.*'] },
    answer: {
      status: 200,
      body: {
        data: [example],
        next_cursor: 'fE3c7WmBq5pYz0kqH1nW9VsiNDIiXQ',
        omitted: [{ family: 'storage', resource_type: 'bucket', missing_permission: 'storage:buckets:read' }],
      },
    },
  },
  async handle(call) {
    checkQuery(call);
    const page = await call.hold(
      readingFrom(call, startingPlace(call, 'oldest', undefined), call.query.newest_first),
    );
    // Requests with the same query that were woken together get the same page object, so its body is built
    // once.
    const known = bodies.get(page) ?? share(bodyOf(call, page));
    bodies.set(page, known);
    return ok(known);
  },
  async stream(call, resumeAfter) {
    checkQuery(call);
    const place = startingPlace(call, 'now', resumeAfter);
    // Read once before the stream starts, so that an expired cursor is answered with a normal error response.
    const first = await readingFrom(call, place).look();
    return follow(first);

    async function* follow(begun: typeof first): Stream {
      let page = begun;
      for (;;) {
        for (const row of page.rows)
          yield { id: cursorAt(call, row.sequence), event: row.type, data: presentEvent(row) };
        page = await call.hold(readingFrom(call, { kind: 'after', sequence: page.position }));
      }
    }
  },
});
