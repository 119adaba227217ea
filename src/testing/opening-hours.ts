/** A resource of the test family that each account has exactly once, and that nobody creates or deletes. */
import { sql } from 'kysely';
import { exampleOf } from '../kernel/examples.ts';
import { Id, Named, OneOf, Shape, Type } from '../kernel/schema.ts';
import { Owned } from '../resources/owned/owned.ts';
import { Single } from '../resources/owned/single.ts';
import type { UnnamedColumns } from '../resources/owned/table.ts';
import { readOf, view, writeOf } from '../resources/records/records.ts';
import type { Db } from '../store/database.ts';

interface OpeningHoursTable extends UnnamedColumns {
  opens: number;
  closes: number;
  days: ('weekday' | 'weekend')[];
  note: string;
}

declare module '../store/database.ts' {
  interface Tables {
    opening_hours: OpeningHoursTable;
  }
}

export async function createOpeningHoursTable(db: Db): Promise<void> {
  await sql`
    create table opening_hours (
      id text collate "C" primary key, account_id text collate "C" not null unique, opens int not null,
      closes int not null, days text[] not null, note text not null, version int not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now())`.execute(
    db,
  );
}

const hour = (by: number) => ({ ...Type.Integer({ minimum: 0, maximum: 24 }), default: by });
const settings = {
  opens: hour(9),
  closes: hour(17),
  days: Type.Array(OneOf(['weekday', 'weekend']), { maxItems: 2, uniqueItems: true, default: ['weekday'] }),
  note: Type.String({ maxLength: 200, default: '' }),
};

const OpeningHours = Named('OpeningHours', Shape({ id: Id('hours'), ...settings, etag: Type.String() }));

const SetOpeningHours = Shape({
  opens: Type.Optional(settings.opens),
  closes: Type.Optional(settings.closes),
  days: Type.Optional(settings.days),
  note: Type.Optional(settings.note),
});

const hours = new Owned({
  type: 'opening_hours',
  idPrefix: 'hours',
  table: 'opening_hours',
  permission: 'workshop:opening-hours:read',
  loses: 'When the workshop is open.',
  events: { updated: { says: 'were changed' } },
});

const unset = { opens: 9, closes: 17, days: ['weekday' as const], note: '' };
const openingHours = new Single(hours, { table: 'opening_hours', unset });

const hoursView = view(hours, {
  path: '/workshop/v1/opening-hours',
  single: true,
  schema: OpeningHours,
  example: exampleOf(OpeningHours, { ...unset, days: ['weekday', 'weekend'], etag: 'q3w2c9T1hVb7Zk0m' }),
});

const getOpeningHours = readOf(hoursView, { id: 'getOpeningHours', read: (call) => openingHours.read(call) });

const setOpeningHours = writeOf(hoursView, 'declare', {
  id: 'setOpeningHours',
  body: SetOpeningHours,
  example: { body: { days: ['weekday', 'weekend'] } },
  handle: async (call) => ({ row: await openingHours.set(call, { ...unset, ...call.body }) }),
});

export const openingHoursEndpoints = [getOpeningHours, setOpeningHours];
export const openingHoursResource = hours;
