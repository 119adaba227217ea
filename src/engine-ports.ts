/** Lists all engine ports: opens them, examines them for `doctor` and offers their sandboxes to operators. */
import { examineCompute } from './engines/compute/doctor.ts';
import { openCompute } from './engines/compute/open.ts';
import { computeFaults } from './engines/compute/sandbox/faults.ts';
import { machineDesk } from './engines/compute/sandbox/operator.ts';
import { examineLocations } from './engines/doctor.ts';
import { examineObjects } from './engines/objects/doctor.ts';
import { openObjects } from './engines/objects/open.ts';
import type { EngineOptions } from './engines/open.ts';
import { type FaultVocabulary, faultDesk } from './engines/sandbox/operator.ts';
import type { Examination } from './kernel/registry.ts';
import type { ProviderConfig } from './provider/schema.ts';

/** `engines` has one member for each port, named as in `Services`. */
export function openEnginePorts(options: EngineOptions) {
  const engines = { compute: openCompute(options), objects: openObjects(options) };
  return {
    engines,
    async close(): Promise<void> {
      await Promise.all(Object.values(engines).map((port) => port.close()));
    },
  };
}

export const examineEngines = (config: ProviderConfig): Promise<Examination[]> =>
  examineLocations(config, [examineCompute, examineObjects]);

/** The fault rules that operators can add to the sandbox of each port. The objects are real files everywhere. */
export const sandboxFaults: Readonly<Record<string, FaultVocabulary>> = {
  compute: computeFaults,
  objects: { calls: [], effects: {} },
};

/** The locations with a sandbox behind at least one port. */
const sandboxLocations = ({ catalogue }: ProviderConfig): string[] =>
  catalogue.locations.filter(({ compute }) => compute?.driver === 'sandbox').map(({ slug }) => slug);

export const sandboxDesk = {
  ...faultDesk(Object.values(sandboxFaults)),
  ...machineDesk,
  locations: sandboxLocations,
};
