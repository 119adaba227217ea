/** What drivers may lack: each is there, or the reason why not in words for the customer. */
import { CapabilityMissing } from './errors.ts';

export interface Capabilities {
  /** More processors and memory while it runs. */
  readonly liveResize: true | string;
  /** Interfaces come and go while it runs. */
  readonly nicHotPlug: true | string;
  /** Networks of their own for the machines of an account. */
  readonly privateNetworks: true | string;
  /** Two of them with the same addresses, of whichever accounts. */
  readonly overlappingNetworks: true | string;
  /** Snapshots of a file system that was told to hold still. */
  readonly quiesce: true | string;
  readonly rescue: true | string;
  readonly passwordReset: true | string;
  readonly imageImport: true | string;
  readonly consoleLog: true | string;
  readonly serialConsole: true | string;
  readonly graphicalConsole: true | string;
  readonly series: true | string;
}
export type CapabilityName = keyof Capabilities;

export function requireCapability(capabilities: Capabilities, name: CapabilityName): void {
  const reason = capabilities[name];
  if (reason !== true) throw new CapabilityMissing(name, reason);
}
