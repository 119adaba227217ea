/**
 * The contract test of the compute port, which runs against every driver. A driver's test passes a function that
 * opens the driver. Only tests for capabilities that the driver declares as missing are skipped, with the declared
 * reason.
 */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { describeDisks } from './contract/disks.ts';
import { describeGuests } from './contract/guests.ts';
import { describeImages } from './contract/images.ts';
import { describeInstances } from './contract/instances.ts';
import { type Harness, Lab } from './contract/lab.ts';
import { describeNetworks } from './contract/networks.ts';
import { describePlaces } from './contract/places.ts';
import { describePower } from './contract/power.ts';
import type { Capabilities } from './port.ts';

export type { Harness };

export function describeCompute(
  driver: string,
  capabilities: Capabilities,
  open: () => Promise<Harness>,
): void {
  describe(`the compute port on ${driver}`, () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = new Lab(await open());
    });
    afterEach(() => lab.clear());
    afterAll(() => lab.harness.close());
    const use = { capabilities, lab: () => lab };
    describeInstances(use);
    describePower(use);
    describePlaces(use);
    describeDisks(use);
    describeNetworks(use);
    describeImages(use);
    describeGuests(use);
  });
}
