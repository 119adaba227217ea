/** The price lines of a virtual machine, which are the same for a VPS and for a node of a cluster. */
import { type Bill, count } from '../../../money/prices/bill.ts';
import type { Plan } from '../../../provider/catalogue.ts';

export const LARGEST_DISK_GB = 2000;

export function findPlan(
  bill: Bill,
  slug: string,
  location: string | undefined,
  pointer: string,
): Plan | undefined {
  const plan = bill.book.plans.get(slug);
  if (!plan) {
    bill.unknown(pointer, 'plan', slug, bill.book.plans.keys());
    return undefined;
  }
  if (location !== undefined && !plan.locations.includes(location)) {
    bill.unavailable(`Plan ${slug} is not sold in ${location}.`, pointer);
  }
  if (
    plan.removed_at !== null &&
    Date.parse(plan.removed_at) <= bill.terms.at.getTime() &&
    !bill.terms.existing
  ) {
    bill.unavailable(`Plan ${slug} is no longer sold.`, pointer);
  }
  return plan;
}

/**
 * A new machine has at least the disk size of its plan. An existing machine may have a smaller disk, because a resize
 * to a larger plan keeps the disk.
 */
export function checkDisk(bill: Bill, plan: Plan, diskGb: number, pointer: string): void {
  if (diskGb < plan.disk_gb && !bill.terms.existing) {
    bill.fail(pointer, 'out_of_range', `Plan ${plan.slug} has ${plan.disk_gb} GB; ask for at least that.`);
  }
}

export interface Machine {
  readonly location: string;
  readonly plan: Plan;
  readonly diskGb: number;
  /** More than 1 for a node pool, which is one priced item with several machines. */
  readonly machines: number;
  readonly publicIpv4: boolean;
  /** Whether the extra disk and the address are also charged for hours in which the machine is stopped. */
  readonly heldWhileStopped: boolean;
}

export function chargeMachine(bill: Bill, machine: Machine): void {
  const { location, plan, diskGb, machines } = machine;
  const nodes = count(machines);
  const description = `Plan ${plan.slug}, ${location}`;
  bill.charge(plan.sku, location, { description, each: nodes, allMonth: plan.billed_while_stopped });
  const extra = diskGb - plan.disk_gb;
  if (extra > 0) {
    bill.charge('vps.disk-extra', location, {
      description: `${extra} GB above the plan's ${plan.disk_gb} GB`,
      each: count(extra * machines),
      allMonth: machine.heldWhileStopped,
    });
  }
  if (machine.publicIpv4) chargeIpv4(bill, location, machines, machine.heldWhileStopped);
}

export function chargeIpv4(bill: Bill, location: string, addresses: number, allMonth: boolean): void {
  bill.charge('ip.ipv4', location, { description: 'Public IPv4', each: count(addresses), allMonth });
}

export function chargeTraffic(bill: Bill, location: string, includedGb: number): void {
  const what = { noun: 'Outgoing traffic', unit: 'GB', includedEach: count(includedGb) };
  bill.chargeUsage('traffic_out_gb', 'traffic.out', location, what);
}
