/**
 * What an engine port says about its settings in the provider's file. Each location has one member for each port; it is
 * null where the location has no engine of that port.
 */
import { Nullable, type TSchema } from '../kernel/schema.ts';
import type { Report } from './fault.ts';
import { Default } from './words.ts';

/** When a driver reads a file: a reload says that a restart is needed after a change of one that is read at start. */
type FileUse = 'at_start' | 'when_used';

export interface PortSettings<S extends object = object> {
  /** The member of a location: `compute`. */
  readonly member: string;
  readonly Settings: TSchema;
  /** The members of the settings that name a file or a folder. */
  readonly files: Readonly<Partial<Record<keyof S & string, FileUse>>>;
  /** Reports what the schema cannot express. `at` is the path of the settings; relative files are in `folder`. */
  check(settings: S, at: string, folder: string, report: Report): void;
}

/** The settings of a port in a location, which has a member for every port. */
export function settingsIn<S extends object>(
  location: object,
  { member }: Pick<PortSettings<S>, 'member'>,
): S | null {
  return ((location as Readonly<Record<string, S | null | undefined>>)[member] ?? null) as S | null;
}

export const portMembers = (ports: readonly PortSettings[]): Record<string, TSchema> =>
  Object.fromEntries(ports.map(({ member, Settings }) => [member, Default(Nullable(Settings), null)]));

/** The files that the settings of a port name, by member. */
export function filesOf(settings: object, { files }: Pick<PortSettings, 'files'>) {
  const values = settings as Readonly<Record<string, unknown>>;
  return Object.entries(files as Readonly<Record<string, FileUse>>).flatMap(([member, use]) => {
    const file = values[member];
    return typeof file === 'string' ? [{ member, use, file }] : [];
  });
}
