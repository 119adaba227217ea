import type { Capabilities } from '../capabilities.ts';
import type { IncusSettings } from './settings.ts';

const NO_RESCUE = 'Machines in this location cannot be booted into a rescue system.';
const NO_QUIESCE = 'The engine of this location cannot tell a file system to hold still.';

export function capabilitiesOf({ instanceType }: Pick<IncusSettings, 'instanceType'>): Capabilities {
  const isContainer = instanceType === 'container';
  return {
    liveResize: isContainer ? true : 'Machines in this location are resized while they are stopped.',
    nicHotPlug: true,
    quiesce: NO_QUIESCE,
    rescue: NO_RESCUE,
    passwordReset: true,
    imageImport: true,
    consoleLog: true,
    serialConsole: true,
    graphicalConsole: isContainer
      ? 'Machines in this location have no screen. Open the serial console instead.'
      : true,
    series: true,
  };
}
