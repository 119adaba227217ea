/** Implements the compute port on an Incus or LXD server or cluster. */
import { type Behind, classOfCalls, signalIn } from '../../call-table.ts';
import type { Capabilities } from '../capabilities.ts';
import type { ComputeEngine } from '../port.ts';
import * as attachments from './attachments.ts';
import { capabilitiesOf } from './capabilities.ts';
import * as consoles from './consoles.ts';
import * as disks from './disks.ts';
import type { Server, Site } from './driver-context.ts';
import { EventStream } from './events.ts';
import { translate } from './failure.ts';
import * as vpn from './gateways.ts';
import * as guests from './guests.ts';
import * as places from './hosts.ts';
import * as images from './images.ts';
import * as isos from './isos.ts';
import * as machines from './machines.ts';
import * as networks from './networks.ts';
import * as nics from './nics.ts';
import type { IncusOptions } from './options.ts';
import * as firewalls from './ovn/firewalls.ts';
import { securePorts } from './ovn/ports.ts';
import * as power from './power.ts';
import * as series from './series.ts';
import { openSite } from './site.ts';
import * as sizes from './sizes.ts';
import * as snapshots from './snapshots.ts';
import * as volumeSnapshots from './volume-snapshots.ts';
import * as volumes from './volumes.ts';

/** The work of each call, and what is said if it fails. */
const calls = {
  ensureInstance: ['The machine could not be created', machines.ensureInstance],
  observeInstance: ['The machine could not be read', machines.observeInstance],
  observeInstances: ['The machines could not be listed', machines.observeInstances],
  removeInstance: ['The machine could not be removed', machines.removeInstance],
  ensureRunning: ['The machine could not be started', power.ensureRunning],
  requestShutdown: ['The guest was not asked', power.requestShutdown],
  ensureStopped: ['The machine could not be stopped', power.ensureStopped],
  restart: ['The machine could not be restarted', power.restart],
  ensureSize: ['The size could not be changed', sizes.ensureSize],
  ensurePlacement: ['The machine could not be moved', sizes.ensurePlacement],
  ensureGuest: ['The guest could not be prepared', guests.ensureGuest],
  ensureRescue: ['The rescue system could not be set', guests.ensureRescue],
  ensureRebuilt: ['The machine could not be rebuilt', disks.ensureRebuilt],
  ensureNic: ['The interface could not be connected', nics.ensureNic],
  removeNic: ['The interface could not be removed', nics.removeNic],
  ensureSnapshot: ['The snapshot could not be taken', snapshots.ensureSnapshot],
  removeSnapshot: ['The snapshot could not be removed', snapshots.removeSnapshot],
  ensureRestored: ['The snapshot could not be restored', disks.ensureRestored],
  ensureNetwork: ['The network could not be created', networks.ensureNetwork],
  observeNetwork: ['The network could not be read', networks.observeNetwork],
  removeNetwork: ['The network could not be removed', networks.removeNetwork],
  ensureFirewall: ['The firewall could not be applied', firewalls.ensureFirewall],
  observeFirewall: ['The firewall could not be read', firewalls.observeFirewall],
  observeFirewalls: ['The firewalls could not be listed', firewalls.observeFirewalls],
  removeFirewall: ['The firewall could not be removed', firewalls.removeFirewall],
  ensureVolume: ['The volume could not be created', volumes.ensureVolume],
  observeVolume: ['The volume could not be read', volumes.observeVolume],
  observeVolumes: ['The volumes could not be listed', volumes.observeVolumes],
  removeVolume: ['The volume could not be removed', volumes.removeVolume],
  ensureVolumeSize: ['The volume could not grow', attachments.ensureVolumeSize],
  ensureVolumeAttached: ['The volume could not be attached', attachments.ensureVolumeAttached],
  ensureVolumeDetached: ['The volume could not be detached', attachments.ensureVolumeDetached],
  ensureVolumeSnapshot: ['The snapshot could not be taken', volumeSnapshots.ensureVolumeSnapshot],
  removeVolumeSnapshot: ['The snapshot could not be removed', volumeSnapshots.removeVolumeSnapshot],
  ensureVolumeRestored: ['The snapshot could not be restored', volumeSnapshots.ensureVolumeRestored],
  ensureGateway: ['The gateway could not be set up', vpn.ensureGateway],
  ensureGatewayPeers: ['Peers were not applied', vpn.ensureGatewayPeers],
  observeGateway: ['The gateway could not be read', vpn.observeGateway],
  observeGateways: ['The gateways could not be listed', vpn.observeGateways],
  removeGateway: ['The gateway could not be removed', vpn.removeGateway],
  ensureIso: ['The ISO could not be stored', isos.ensureIso],
  observeIso: ['The ISO could not be read', isos.observeIso],
  observeIsos: ['The ISOs could not be listed', isos.observeIsos],
  removeIso: ['The ISO could not be removed', isos.removeIso],
  ensureDrive: ['The drive could not be changed', isos.ensureDrive],
  ensureImage: ['The image could not be stored', images.ensureImage],
  observeImage: ['The image could not be read', images.observeImage],
  exportImage: ['The image could not be exported', images.exportImage],
  removeImage: ['The image could not be removed', images.removeImage],
  setPassword: ['The password could not be set', guests.setPassword],
  readConsoleLog: ['The console log could not be read', consoles.readConsoleLog],
  openConsole: ['The console could not be opened', consoles.openConsole],
  readCapacity: ['The free capacity could not be read', places.readCapacity],
  fits: ['The free capacity could not be read', places.fits],
} as const satisfies {
  readonly [K in keyof ComputeEngine]?: readonly [string, Behind<Site, ComputeEngine[K]>];
};

type Calls = Pick<ComputeEngine, keyof typeof calls>;
type Entry = readonly [about: string, work: (site: Site, ...args: never[]) => Promise<unknown>];

export class Incus extends classOfCalls<Calls, Entry>(calls) implements ComputeEngine {
  readonly driver = 'incus';
  readonly location: string;
  /** Assumed from the settings until the server is read for the first time; updated then. */
  capabilities: Capabilities;
  readonly imageFormats: ComputeEngine['imageFormats'];
  readonly graphicalProtocol = 'spice';
  readonly site: Site;
  readonly #samples: series.Samples;
  readonly #events: EventStream;
  #server: Promise<Server> | null = null;
  constructor({ location, settings, ledger, samples, logs }: IncusOptions) {
    super((_, [about, work], args) =>
      this.#do(about, signalIn(args), (site) => work(site, ...(args as never[]))),
    );
    this.location = location;
    this.capabilities = capabilitiesOf(settings);
    this.imageFormats = images.formatsOf(settings);
    this.#samples = samples;
    const read: Site['readServer'] = (signal) => this.#readServer(signal);
    this.site = openSite({ location, settings, ledger, logs }, this.capabilities, read);
    this.#events = new EventStream(this.site.client);
  }

  #readServer(signal?: AbortSignal): Promise<Server> {
    this.#server ??= this.site.client.ask<Server>('GET', '/1.0', { signal }).then(
      (server) => {
        this.capabilities = capabilitiesOf(this.site.settings, server);
        return server;
      },
      (error: unknown) => {
        this.#server = null;
        throw error;
      },
    );
    return this.#server;
  }

  async #do<T>(about: string, signal: AbortSignal | undefined, work: (site: Site) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await work(this.site);
    } catch (error) {
      signal?.throwIfAborted();
      throw translate(error, about);
    }
  }

  readSeries: ComputeEngine['readSeries'] = (ref, metrics, range) =>
    series.readSeries(this.#samples, ref, metrics, range);

  readTraffic: ComputeEngine['readTraffic'] = (from, to) => this.#samples.sumTraffic(from, to);

  sample = (signal?: AbortSignal): Promise<void> =>
    this.#do('The machines could not be measured', signal, (site) =>
      series.takeSamples(site, this.#samples, signal),
    );

  /** A machine that restarts by itself has new ports in OVN, so they are secured at each event. */
  watch: ComputeEngine['watch'] = (watcher) =>
    this.#events.watch((ref) => {
      watcher(ref);
      void securePorts(this.site, ref).catch(() => undefined);
    });

  async close(): Promise<void> {
    await this.#events.close();
    this.site.client.close();
    this.site.northbound?.close();
  }
}
