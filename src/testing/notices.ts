/** A resource of the test family that customers only read: the provider writes its rows, as it writes alerts. */
import { sql } from 'kysely';
import { exampleOf } from '../kernel/examples.ts';
import { dateFilters, ListQuery } from '../kernel/pages/list.ts';
import { Id, Named, OneOf, Shape, Time, Type } from '../kernel/schema.ts';
import { Owned } from '../resources/owned/owned.ts';
import type { UnnamedColumns } from '../resources/owned/table.ts';
import { listOf, view } from '../resources/records/records.ts';
import type { Db } from '../store/database.ts';

interface NoticesTable extends UnnamedColumns {
  severity: 'info' | 'warning';
  text: string;
}

declare module '../store/database.ts' {
  interface Tables {
    notices: NoticesTable;
  }
}

export async function createNoticesTable(db: Db): Promise<void> {
  await sql`
    create table notices (
      id text collate "C" primary key, account_id text collate "C" not null, severity text not null,
      text text not null, version int not null default 1, created_at timestamptz not null default now(),
      updated_at timestamptz not null default now())`.execute(db);
  await sql`create index notices_page on notices (account_id, id)`.execute(db);
}

const Severity = OneOf(['info', 'warning']);

const Notice = Named(
  'Notice',
  Shape({ id: Id('ntc'), severity: Severity, text: Type.String(), created_at: Time }),
);

export const notices = new Owned({
  type: 'notice',
  idPrefix: 'ntc',
  table: 'notices',
  permission: 'workshop:notices:read',
  loses: 'Its text.',
  events: {},
});

const noticeView = view(notices, {
  path: '/workshop/v1/notices',
  schema: Notice,
  example: exampleOf(Notice, { severity: 'info', text: 'The workshop is closed on Friday.' }),
});

const listNotices = listOf(noticeView, {
  id: 'listNotices',
  query: ListQuery(
    {
      severity: Type.Optional({ ...Severity, description: 'Only notices of this severity.' }),
      ...dateFilters,
    },
    { sort: ['-created_at', 'created_at'] },
  ),
});

export const noticeEndpoints = [listNotices];
