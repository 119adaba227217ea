/** What drivers may lack: each is there, or the reason why not in words for the customer. */
import { CapabilityMissing } from './errors.ts';

export const capabilityNames = [
  /** More processors and memory while it runs. */
  'liveResize',
  /** Interfaces come and go while it runs. */
  'nicHotPlug',
  /** Snapshots of a file system that was told to hold still. */
  'quiesce',
  'rescue',
  'passwordReset',
  'imageImport',
  'consoleLog',
  'serialConsole',
  'graphicalConsole',
  'series',
] as const;
export type CapabilityName = (typeof capabilityNames)[number];

export type Capabilities = Readonly<Record<CapabilityName, true | string>>;

export function requireCapability(capabilities: Capabilities, name: CapabilityName): void {
  const reason = capabilities[name];
  if (reason !== true) throw new CapabilityMissing(name, reason);
}
