/** The calls and effects of the compute port that an operator or a test can use in fault rules. */
import type { WatchedEngine } from '../../engine.ts';
import type * as sandbox from '../../sandbox/faults.ts';
import type { ComputeEngine } from '../port.ts';

/** The calls that a fault rule can name. */
export type CallName = Exclude<
  keyof ComputeEngine,
  keyof WatchedEngine | 'imageFormats' | 'graphicalProtocol' | 'sample'
>;

const calls: Readonly<Record<CallName, true>> = {
  ensureInstance: true,
  observeInstance: true,
  observeInstances: true,
  removeInstance: true,
  ensureRunning: true,
  requestShutdown: true,
  ensureStopped: true,
  restart: true,
  ensureSize: true,
  ensurePlacement: true,
  ensureGuest: true,
  ensureRescue: true,
  ensureRebuilt: true,
  ensureNic: true,
  removeNic: true,
  ensureSnapshot: true,
  removeSnapshot: true,
  ensureRestored: true,
  ensureNetwork: true,
  observeNetwork: true,
  removeNetwork: true,
  ensureFirewall: true,
  observeFirewall: true,
  observeFirewalls: true,
  removeFirewall: true,
  ensureVolume: true,
  observeVolume: true,
  observeVolumes: true,
  removeVolume: true,
  ensureVolumeSize: true,
  ensureVolumeAttached: true,
  ensureVolumeDetached: true,
  ensureVolumeSnapshot: true,
  removeVolumeSnapshot: true,
  ensureVolumeRestored: true,
  ensureGateway: true,
  ensureGatewayPeers: true,
  observeGateway: true,
  observeGateways: true,
  removeGateway: true,
  ensureIso: true,
  observeIso: true,
  observeIsos: true,
  removeIso: true,
  ensureDrive: true,
  ensureImage: true,
  observeImage: true,
  exportImage: true,
  removeImage: true,
  setPassword: true,
  readConsoleLog: true,
  openConsole: true,
  readSeries: true,
  readTraffic: true,
  readCapacity: true,
  fits: true,
};
export const callNames = Object.keys(calls) as readonly CallName[];

/** The effects that only the compute port has: they are those of a guest. */
export type OwnEffect = 'ignore_shutdown' | 'refuse_detach';

export type Effect = sandbox.Effect<OwnEffect>;
export type NewFault = sandbox.NewFault<CallName, OwnEffect>;

const ownEffects: Readonly<Record<OwnEffect, string>> = {
  ignore_shutdown: 'the guest does not heed the request to shut down',
  refuse_detach: 'the guest uses the volume and does not let go of it',
};

export const computeFaults = { calls: callNames, effects: ownEffects };
