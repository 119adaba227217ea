/** What a driver may lack: `true` where the driver has it, else the reason it is missing, written for the customer. */
import type { Capability } from '../capability.ts';

export interface Capabilities {
  /** More processors and memory while it runs. */
  readonly liveResize: Capability;
  /** Interfaces come and go while it runs. */
  readonly nicHotPlug: Capability;
  /** Networks of their own for the machines of an account. */
  readonly privateNetworks: Capability;
  /** Two of them with the same addresses, of whichever accounts. */
  readonly overlappingNetworks: Capability;
  /** Snapshots of a file system that was told to hold still. */
  readonly quiesce: Capability;
  readonly rescue: Capability;
  readonly passwordReset: Capability;
  readonly imageImport: Capability;
  readonly consoleLog: Capability;
  readonly serialConsole: Capability;
  readonly graphicalConsole: Capability;
  readonly series: Capability;
}
export type CapabilityName = keyof Capabilities;
