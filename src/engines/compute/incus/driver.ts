/** Implements the compute port on an Incus or LXD server or cluster. */
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

export class Incus implements ComputeEngine {
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

  ensureInstance: ComputeEngine['ensureInstance'] = (ref, spec, signal) =>
    this.#do('The machine could not be created', signal, (site) =>
      machines.ensureInstance(site, ref, spec, signal),
    );

  observeInstance: ComputeEngine['observeInstance'] = (ref, signal) =>
    this.#do('The machine could not be read', signal, (site) => machines.observeInstance(site, ref, signal));

  observeInstances: ComputeEngine['observeInstances'] = (signal) =>
    this.#do('The machines could not be listed', signal, (site) => machines.observeInstances(site, signal));

  removeInstance: ComputeEngine['removeInstance'] = (ref, signal) =>
    this.#do('The machine could not be removed', signal, (site) =>
      machines.removeInstance(site, ref, signal),
    );

  ensureRunning: ComputeEngine['ensureRunning'] = (ref, signal) =>
    this.#do('The machine could not be started', signal, (site) => power.ensureRunning(site, ref, signal));

  requestShutdown: ComputeEngine['requestShutdown'] = (ref, wait, signal) =>
    this.#do('The guest was not asked', signal, (site) => power.requestShutdown(site, ref, wait, signal));

  ensureStopped: ComputeEngine['ensureStopped'] = (ref, signal) =>
    this.#do('The machine could not be stopped', signal, (site) => power.ensureStopped(site, ref, signal));

  restart: ComputeEngine['restart'] = (ref, as, signal) =>
    this.#do('The machine could not be restarted', signal, (site) => power.restart(site, ref, as, signal));

  ensureSize: ComputeEngine['ensureSize'] = (ref, size, signal) =>
    this.#do('The size could not be changed', signal, (site) => sizes.ensureSize(site, ref, size, signal));

  ensurePlacement: ComputeEngine['ensurePlacement'] = (ref, placement, signal) =>
    this.#do('The machine could not be moved', signal, (site) =>
      sizes.ensurePlacement(site, ref, placement, signal),
    );

  ensureGuest: ComputeEngine['ensureGuest'] = (ref, guest, signal) =>
    this.#do('The guest could not be prepared', signal, (site) =>
      guests.ensureGuest(site, ref, guest, signal),
    );

  ensureRescue: ComputeEngine['ensureRescue'] = (ref, rescue, signal) =>
    this.#do('The rescue system could not be set', signal, (site) =>
      guests.ensureRescue(site, ref, rescue, signal),
    );

  ensureRebuilt: ComputeEngine['ensureRebuilt'] = (ref, to, signal) =>
    this.#do('The machine could not be rebuilt', signal, (site) =>
      disks.ensureRebuilt(site, ref, to, signal),
    );

  ensureNic: ComputeEngine['ensureNic'] = (ref, nic, signal) =>
    this.#do('The interface could not be connected', signal, (site) =>
      nics.ensureNic(site, ref, nic, signal),
    );

  removeNic: ComputeEngine['removeNic'] = (ref, nic, signal) =>
    this.#do('The interface could not be removed', signal, (site) => nics.removeNic(site, ref, nic, signal));

  ensureSnapshot: ComputeEngine['ensureSnapshot'] = (ref, snapshot, signal) =>
    this.#do('The snapshot could not be taken', signal, (site) =>
      snapshots.ensureSnapshot(site, ref, snapshot, signal),
    );

  removeSnapshot: ComputeEngine['removeSnapshot'] = (ref, snapshotId, signal) =>
    this.#do('The snapshot could not be removed', signal, (site) =>
      snapshots.removeSnapshot(site, ref, snapshotId, signal),
    );

  ensureRestored: ComputeEngine['ensureRestored'] = (ref, to, signal) =>
    this.#do('The snapshot could not be restored', signal, (site) =>
      disks.ensureRestored(site, ref, to, signal),
    );

  ensureNetwork: ComputeEngine['ensureNetwork'] = (ref, spec, signal) =>
    this.#do('The network could not be created', signal, (site) =>
      networks.ensureNetwork(site, ref, spec, signal),
    );

  observeNetwork: ComputeEngine['observeNetwork'] = (ref, signal) =>
    this.#do('The network could not be read', signal, (site) => networks.observeNetwork(site, ref, signal));

  removeNetwork: ComputeEngine['removeNetwork'] = (ref, signal) =>
    this.#do('The network could not be removed', signal, (site) => networks.removeNetwork(site, ref, signal));

  ensureFirewall: ComputeEngine['ensureFirewall'] = (ref, spec, signal) =>
    this.#do('The firewall could not be applied', signal, (site) =>
      firewalls.ensureFirewall(site, ref, spec, signal),
    );

  observeFirewall: ComputeEngine['observeFirewall'] = (ref, signal) =>
    this.#do('The firewall could not be read', signal, (site) =>
      firewalls.observeFirewall(site, ref, signal),
    );

  observeFirewalls: ComputeEngine['observeFirewalls'] = (signal) =>
    this.#do('The firewalls could not be listed', signal, (site) => firewalls.observeFirewalls(site, signal));

  removeFirewall: ComputeEngine['removeFirewall'] = (ref, signal) =>
    this.#do('The firewall could not be removed', signal, (site) =>
      firewalls.removeFirewall(site, ref, signal),
    );

  ensureVolume: ComputeEngine['ensureVolume'] = (ref, spec, signal) =>
    this.#do('The volume could not be created', signal, (site) =>
      volumes.ensureVolume(site, ref, spec, signal),
    );

  observeVolume: ComputeEngine['observeVolume'] = (ref, signal) =>
    this.#do('The volume could not be read', signal, (site) => volumes.observeVolume(site, ref, signal));

  observeVolumes: ComputeEngine['observeVolumes'] = (signal) =>
    this.#do('The volumes could not be listed', signal, (site) => volumes.observeVolumes(site, signal));

  removeVolume: ComputeEngine['removeVolume'] = (ref, signal) =>
    this.#do('The volume could not be removed', signal, (site) => volumes.removeVolume(site, ref, signal));

  ensureVolumeSize: ComputeEngine['ensureVolumeSize'] = (ref, sizeGb, signal) =>
    this.#do('The volume could not grow', signal, (site) =>
      attachments.ensureVolumeSize(site, ref, sizeGb, signal),
    );

  ensureVolumeAttached: ComputeEngine['ensureVolumeAttached'] = (ref, to, signal) =>
    this.#do('The volume could not be attached', signal, (site) =>
      attachments.ensureVolumeAttached(site, ref, to, signal),
    );

  ensureVolumeDetached: ComputeEngine['ensureVolumeDetached'] = (ref, from, signal) =>
    this.#do('The volume could not be detached', signal, (site) =>
      attachments.ensureVolumeDetached(site, ref, from, signal),
    );

  ensureVolumeSnapshot: ComputeEngine['ensureVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.#do('The snapshot could not be taken', signal, (site) =>
      volumeSnapshots.ensureVolumeSnapshot(site, ref, snapshotId, signal),
    );

  removeVolumeSnapshot: ComputeEngine['removeVolumeSnapshot'] = (ref, snapshotId, signal) =>
    this.#do('The snapshot could not be removed', signal, (site) =>
      volumeSnapshots.removeVolumeSnapshot(site, ref, snapshotId, signal),
    );

  ensureVolumeRestored: ComputeEngine['ensureVolumeRestored'] = (ref, to, signal) =>
    this.#do('The snapshot could not be restored', signal, (site) =>
      volumeSnapshots.ensureVolumeRestored(site, ref, to, signal),
    );

  ensureGateway: ComputeEngine['ensureGateway'] = (ref, spec, signal) =>
    this.#do('The gateway could not be set up', signal, (site) => vpn.ensureGateway(site, ref, spec, signal));
  ensureGatewayPeers: ComputeEngine['ensureGatewayPeers'] = (ref, peers, signal) =>
    this.#do('Peers were not applied', signal, (site) => vpn.ensureGatewayPeers(site, ref, peers, signal));
  observeGateway: ComputeEngine['observeGateway'] = (ref, signal) =>
    this.#do('The gateway could not be read', signal, (site) => vpn.observeGateway(site, ref, signal));
  observeGateways: ComputeEngine['observeGateways'] = (signal) =>
    this.#do('The gateways could not be listed', signal, (site) => vpn.observeGateways(site, signal));
  removeGateway: ComputeEngine['removeGateway'] = (ref, signal) =>
    this.#do('The gateway could not be removed', signal, (site) => vpn.removeGateway(site, ref, signal));
  ensureIso: ComputeEngine['ensureIso'] = (ref, file, signal) =>
    this.#do('The ISO could not be stored', signal, (site) => isos.ensureIso(site, ref, file, signal));
  observeIso: ComputeEngine['observeIso'] = (ref, signal) =>
    this.#do('The ISO could not be read', signal, (site) => isos.observeIso(site, ref, signal));
  observeIsos: ComputeEngine['observeIsos'] = (signal) =>
    this.#do('The ISOs could not be listed', signal, (site) => isos.observeIsos(site, signal));
  removeIso: ComputeEngine['removeIso'] = (ref, signal) =>
    this.#do('The ISO could not be removed', signal, (site) => isos.removeIso(site, ref, signal));
  ensureDrive: ComputeEngine['ensureDrive'] = (ref, drive, signal) =>
    this.#do('The drive could not be changed', signal, (site) => isos.ensureDrive(site, ref, drive, signal));

  ensureImage: ComputeEngine['ensureImage'] = (ref, source, signal) =>
    this.#do('The image could not be stored', signal, (site) =>
      images.ensureImage(site, ref, source, signal),
    );
  observeImage: ComputeEngine['observeImage'] = (ref, signal) =>
    this.#do('The image could not be read', signal, (site) => images.observeImage(site, ref, signal));
  exportImage: ComputeEngine['exportImage'] = (ref, signal) =>
    this.#do('The image could not be exported', signal, (site) => images.exportImage(site, ref, signal));
  removeImage: ComputeEngine['removeImage'] = (ref, signal) =>
    this.#do('The image could not be removed', signal, (site) => images.removeImage(site, ref, signal));

  setPassword: ComputeEngine['setPassword'] = (ref, user, password, signal) =>
    this.#do('The password could not be set', signal, (site) =>
      guests.setPassword(site, ref, user, password, signal),
    );

  readConsoleLog: ComputeEngine['readConsoleLog'] = (ref, maxBytes, signal) =>
    this.#do('The console log could not be read', signal, (site) =>
      consoles.readConsoleLog(site, ref, maxBytes, signal),
    );

  openConsole: ComputeEngine['openConsole'] = (ref, kind, signal) =>
    this.#do('The console could not be opened', signal, (site) =>
      consoles.openConsole(site, ref, kind, signal),
    );

  readSeries: ComputeEngine['readSeries'] = (ref, metrics, range) =>
    series.readSeries(this.#samples, ref, metrics, range);

  readTraffic: ComputeEngine['readTraffic'] = (from, to) => this.#samples.sumTraffic(from, to);

  sample = (signal?: AbortSignal): Promise<void> =>
    this.#do('The machines could not be measured', signal, (site) =>
      series.takeSamples(site, this.#samples, signal),
    );

  readCapacity: ComputeEngine['readCapacity'] = (signal) =>
    this.#do('The free capacity could not be read', signal, (site) => places.readCapacity(site, signal));

  fits: ComputeEngine['fits'] = (account, size, placement, signal) =>
    this.#do('The free capacity could not be read', signal, (site) =>
      places.fits(site, account, size, placement, signal),
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
