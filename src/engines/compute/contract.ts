/** The contract suite of the compute port. The test of a driver calls this with a way to open the driver. */
import { describePort } from '../contract/suite.ts';
import { describeDisks } from './contract/disks.ts';
import { describeFirewalls } from './contract/firewalls.ts';
import { describeGateways } from './contract/gateways.ts';
import { describeGuests } from './contract/guests.ts';
import { describeImages } from './contract/images.ts';
import { describeInstances } from './contract/instances.ts';
import { describeIsos } from './contract/isos.ts';
import { type Harness, Lab } from './contract/lab.ts';
import { describeNetworks } from './contract/networks.ts';
import { describePlaces } from './contract/places.ts';
import { describePower } from './contract/power.ts';
import { describeVolumes } from './contract/volumes.ts';
import type { Capabilities } from './port.ts';

export type { Harness };

export function describeCompute(
  driver: string,
  capabilities: Capabilities,
  open: () => Promise<Harness>,
): void {
  describePort(`the compute port on ${driver}`, capabilities, async () => new Lab(await open()), [
    describeInstances,
    describePower,
    describePlaces,
    describeDisks,
    describeNetworks,
    describeFirewalls,
    describeVolumes,
    describeGateways,
    describeImages,
    describeIsos,
    describeGuests,
  ]);
}
