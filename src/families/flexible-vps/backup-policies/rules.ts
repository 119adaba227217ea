/** Checks of the schedule in a request body. */
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { BackupSchedule } from './windows.ts';

/** The member that only one frequency has. */
const memberOf = { every_n_hours: 'every_hours', weekly: 'weekday', monthly: 'day_of_month' } as const;
type Frequency = keyof typeof memberOf;

const isFrequency = (value: unknown): value is Frequency => Object.hasOwn(memberOf, String(value));

const required = (frequency: Frequency): FieldError => ({
  pointer: `/schedule/${memberOf[frequency]}`,
  code: 'required',
  detail: `The frequency ${frequency} needs ${memberOf[frequency]}.`,
});

/** For the creation: the member that its frequency requires. */
export function missingMember({ schedule }: Readonly<Record<string, unknown>>): FieldError[] {
  const given = (schedule ?? {}) as Readonly<Record<string, unknown>>;
  const { frequency } = given;
  return isFrequency(frequency) && given[memberOf[frequency]] === undefined ? [required(frequency)] : [];
}

type Given = { readonly [K in keyof BackupSchedule]?: BackupSchedule[K] | undefined };

/** The schedule after a request. What another frequency needed is dropped; throws 422 if the request names it. */
export function scheduleAfter(before: BackupSchedule, given: Given): BackupSchedule {
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const after = { ...before, ...sent } as BackupSchedule;
  const errors: FieldError[] = [];
  const foreign: { -readonly [K in (typeof memberOf)[Frequency]]?: null } = {};
  for (const frequency of Object.keys(memberOf) as Frequency[]) {
    const member = memberOf[frequency];
    if (frequency === after.frequency) {
      if (after[member] === null) errors.push(required(frequency));
      continue;
    }
    foreign[member] = null;
    if (given[member] == null) continue;
    const detail = `Only the frequency ${frequency} has this member.`;
    errors.push({ pointer: `/schedule/${member}`, code: 'incompatible', detail });
  }
  if (errors.length > 0) throw invalid(errors);
  return { ...after, ...foreign };
}

/** What a new policy has before its request is read. */
export const NO_SCHEDULE: BackupSchedule = {
  frequency: 'daily',
  every_hours: null,
  hour: 0,
  weekday: null,
  day_of_month: null,
  window_hours: 4,
};
