/** The schemas of backup policies in requests and answers. */

import { Actor } from '../../../kernel/audit/entry.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import { Resettable } from '../../../kernel/resets.ts';
import {
  CreatedAt,
  Etag,
  Labels,
  LabelsPatch,
  label,
  Named,
  Nullable,
  OneOf,
  OwnId,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
  when,
} from '../../../kernel/schema.ts';

const Frequency = Named(
  'BackupFrequency',
  OneOf(
    {
      every_n_hours: 'Several times a day, with the same time between two windows.',
      daily: 'Once a day.',
      weekly: 'Once a week, on one day of the week.',
      monthly: 'Once a month, on one day of the month.',
    },
    { description: 'How often each machine is backed up.' },
  ),
);
const EveryHours = {
  ...Named(
    'BackupEveryHours',
    Type.Unsafe<4 | 6 | 8 | 12>({
      type: 'integer',
      enum: [4, 6, 8, 12],
      'x-enum-descriptions': ['Six times a day.', 'Four times a day.', 'Three times a day.', 'Twice a day.'],
      'x-unit': 'hours',
      description: 'The time from one window to the next. Required with `every_n_hours`, and only there.',
    }),
  ),
  ...label('Hours between backups'),
  ...when('frequency', 'every_n_hours'),
};
const Hour = Type.Integer({
  minimum: 0,
  maximum: 23,
  'x-unit': 'hour of the day',
  ...label('Hour (UTC)'),
  description: 'The hour of the day, in UTC, at which a window begins.',
});
const Weekday = {
  ...Named(
    'Weekday',
    OneOf(
      {
        mon: 'Every Monday.',
        tue: 'Every Tuesday.',
        wed: 'Every Wednesday.',
        thu: 'Every Thursday.',
        fri: 'Every Friday.',
        sat: 'Every Saturday.',
        sun: 'Every Sunday.',
      },
      { description: 'The day of the week, in UTC. Required with `weekly`, and only there.' },
    ),
  ),
  ...when('frequency', 'weekly'),
};
const DayOfMonth = Type.Integer({
  minimum: 1,
  maximum: 28,
  'x-unit': 'day of the month',
  ...when('frequency', 'monthly'),
  description: 'The day of the month, in UTC. Required with `monthly`, and only there.',
});
const WindowHours = Type.Integer({
  minimum: 1,
  maximum: 6,
  'x-unit': 'hours',
  ...label('Window'),
  description:
    'For how long a backup is tried while a machine is busy. The window also ends when the next one begins.',
});
const NewWindowHours = { ...WindowHours, default: 4 };
const KeepLast = Type.Integer({
  minimum: 1,
  maximum: 60,
  'x-unit': 'backups',
  description: 'How many backups of each machine are kept. Only backups that this policy made count.',
});
const KeepDays = Type.Integer({
  minimum: 1,
  maximum: 365,
  'x-unit': 'days',
  description: 'Backups that are older expire, too, except for the newest of a machine. Null: any age.',
});
const Enabled = Type.Boolean({ description: 'Whether the policy makes backups.' });

const SCHEDULE = 'When backups are made.';
const RETENTION = 'Which backups are kept. Applied to a machine when its next scheduled backup is ready.';

export const BackupPolicy = Named(
  'BackupPolicy',
  Shape({
    id: OwnId('bpol'),
    name: ResourceName,
    labels: Labels,
    enabled: Enabled,
    schedule: Shape(
      {
        frequency: Frequency,
        every_hours: Nullable(EveryHours),
        hour: Hour,
        weekday: Nullable(Weekday),
        day_of_month: Nullable(DayOfMonth),
        window_hours: WindowHours,
      },
      { description: SCHEDULE },
    ),
    retention: Shape({ keep_last: KeepLast, keep_days: Nullable(KeepDays) }, { description: RETENTION }),
    vm_count: Type.Integer({
      ...volatile,
      ...label('Machines'),
      description: 'How many machines have the policy.',
    }),
    next_run_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the next window begins; null if the policy is disabled.',
    }),
    last_run: Nullable(
      Shape(
        {
          started_at: { ...Time, description: 'When the backups were begun.' },
          succeeded: Type.Integer({ description: 'How many machines have been backed up.' }),
          failed: Type.Integer({ description: 'How many backups failed.' }),
          skipped: Type.Integer({
            description:
              'How many machines were busy during the whole window, or not backed up because the account was suspended.',
          }),
          over_budget: Type.Integer({
            description: 'How many machines were not backed up because a budget had no room for the backup.',
          }),
        },
        { ...volatile, description: 'The last run; null if there was none.' },
      ),
    ),
    set_by: Nullable({
      ...Actor,
      ...volatile,
      description:
        'Who set the schedule and the retention; null if that was before it was recorded. Each machine remembers who gave it the policy, or last raised what its backups will cost: budgets for that key count them.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'enabled', 'vm_count', 'next_run_at'] },
);
export type BackupPolicy = Static<typeof BackupPolicy>;

export const CreateBackupPolicy = Named(
  'CreateBackupPolicy',
  Shape({
    name: ResourceName,
    schedule: Shape(
      {
        frequency: Frequency,
        every_hours: Type.Optional(EveryHours),
        hour: Hour,
        weekday: Type.Optional(Weekday),
        day_of_month: Type.Optional(DayOfMonth),
        window_hours: Type.Optional(NewWindowHours),
      },
      { description: SCHEDULE },
    ),
    retention: Shape(
      { keep_last: KeepLast, keep_days: Type.Optional({ ...Nullable(KeepDays), default: null }) },
      { description: RETENTION },
    ),
    enabled: Type.Optional({ ...Enabled, default: true }),
    labels: Type.Optional({ ...Labels, default: {} }),
  }),
);
export type CreateBackupPolicy = Static<typeof CreateBackupPolicy>;

export const UpdateBackupPolicy = Shape({
  name: Type.Optional(ResourceName),
  schedule: Type.Optional(
    Shape(
      {
        frequency: Type.Optional(Frequency),
        every_hours: Type.Optional(Nullable(EveryHours)),
        hour: Type.Optional(Hour),
        weekday: Type.Optional(Nullable(Weekday)),
        day_of_month: Type.Optional(Nullable(DayOfMonth)),
        window_hours: Type.Optional(Resettable(NewWindowHours)),
      },
      { description: `${SCHEDULE} Members you leave out stay unchanged.` },
    ),
  ),
  retention: Type.Optional(
    Shape(
      { keep_last: Type.Optional(KeepLast), keep_days: Type.Optional(Nullable(KeepDays)) },
      { description: `${RETENTION} Members you leave out stay unchanged.` },
    ),
  ),
  enabled: Type.Optional(Resettable({ ...Enabled, default: true })),
  labels: Type.Optional(LabelsPatch),
});
export type UpdateBackupPolicy = Static<typeof UpdateBackupPolicy>;

export const examplePolicy = exampleOf(BackupPolicy, {
  id: 'bpol_01jqzv9e3kq7xw5m2t8r4n6c0a',
  name: 'nightly',
  enabled: true,
  schedule: {
    frequency: 'daily',
    every_hours: null,
    hour: 2,
    weekday: null,
    day_of_month: null,
    window_hours: 4,
  },
  retention: { keep_last: 7, keep_days: null },
  vm_count: 2,
  next_run_at: '2026-03-02T02:00:00.000Z',
  last_run: { started_at: '2026-03-01T02:00:12.000Z', succeeded: 2, failed: 0, skipped: 0, over_budget: 0 },
  set_by: {
    kind: 'api_key',
    api_key_id: 'key_01jqzv9e3kq7xw5m2t8r4n6c0a',
    member_id: 'mem_01jqzv9e3kq7xw5m2t8r4n6c0a',
  },
  created_at: '2026-02-01T10:00:00.000Z',
  updated_at: '2026-02-01T10:00:00.000Z',
});
