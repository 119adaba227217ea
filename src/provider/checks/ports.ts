/** Loops over the engine ports: each checks its settings in every location. */
import { resolve } from 'node:path';
import type { Location } from '../catalogue.ts';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';
import { filesOf, type PortSettings, settingsIn } from '../port-settings.ts';

export function checkPorts(
  draft: Draft,
  folder: string,
  report: Report,
  ports: readonly PortSettings[],
): void {
  for (const { path, value } of draft.entries('locations')) {
    for (const port of ports) {
      const settings = settingsIn(value, port);
      if (settings !== null) port.check(settings, `${path}/${port.member}`, folder, report);
    }
  }
}

/** Resolves relative file names, so that they are found from any working directory. */
export function withAbsoluteFiles(
  location: Location,
  folder: string,
  ports: readonly PortSettings[],
): Location {
  const members = ports.map((port) => {
    const settings = settingsIn(location, port);
    const files = settings === null ? [] : filesOf(settings, port);
    const absolute = Object.fromEntries(files.map(({ member, file }) => [member, resolve(folder, file)]));
    return [port.member, settings && { ...settings, ...absolute }] as const;
  });
  return { ...location, ...Object.fromEntries(members) };
}
