/** The engine checks of `hostplane admin doctor`: each port examines the locations that it serves. */
import type { Examination } from '../kernel/registry.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import type { Location } from './open.ts';

export type Catalogue = ProviderConfig['catalogue'];

/** Checks whether the engine of a location supports what is sold there. Empty if the port has nothing to check. */
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
