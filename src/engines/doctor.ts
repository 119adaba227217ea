/** What `doctor` learns about engines: each port examines the locations it serves. */
import type { Examination } from '../kernel/registry.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import type { Location } from './open.ts';

export type Catalogue = ProviderConfig['catalogue'];

/** Asks the driver of a location whether it is fit for what is sold there. Empty where the port has nothing to ask. */
export type ExamineLocation = (location: Location, catalogue: Catalogue) => Promise<readonly Examination[]>;

export async function examineLocations(
  { catalogue }: Pick<ProviderConfig, 'catalogue'>,
  ports: readonly ExamineLocation[],
): Promise<Examination[]> {
  const found: Examination[] = [];
  for (const location of catalogue.locations)
    for (const examine of ports) found.push(...(await examine(location, catalogue)));
  return found;
}
