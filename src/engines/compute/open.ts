/** Opens the driver that runs the machines of a location. */
import type { Location } from '../../provider/catalogue.ts';
import type { DriverOptions } from '../open.ts';
import { Incus } from './incus/driver.ts';
import { PgLedger } from './incus/host-ledger.ts';
import { PgConsoleLogs } from './incus/logs/store.ts';
import { PgSamples } from './incus/samples/store.ts';
import { readSettings } from './incus/settings.ts';
import type { ComputeEngine } from './port.ts';
import { Sandbox } from './sandbox/sandbox.ts';
import { type ComputeSettings, computeOf } from './settings.ts';

export function openCompute(
  given: ComputeSettings | null,
  { slug }: Location,
  { db, current, listener }: DriverOptions,
): ComputeEngine | null {
  const compute = given && computeOf(given);
  switch (compute?.driver) {
    case 'sandbox':
      return new Sandbox({
        location: slug,
        db,
        listener,
        images: () => current().catalogue.images,
        isos: () => current().catalogue.isos,
        pace: compute.pace,
      });
    case 'incus':
      return new Incus({
        location: slug,
        settings: readSettings(compute),
        ledger: new PgLedger(db, slug),
        samples: new PgSamples(db, slug),
        logs: new PgConsoleLogs(db, slug),
      });
    default:
      return null;
  }
}
