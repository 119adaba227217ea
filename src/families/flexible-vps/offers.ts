/**
 * The exports of Flexible VPS that other families may import. A family imports only the `offers.ts` of another family,
 * so the other files of Flexible VPS can change without breaking other families. Imports between families must not be
 * circular: Flexible VPS imports nothing from a family that imports this file.
 *
 * The price lines of a machine are exported because the nodes of a Kubernetes cluster are machines of these plans, and
 * its locations because reserved addresses are sold where machines are. How a machine gets a public address and loses it
 * is exported because addresses have calls of their own, which do the same.
 */
export { locationFaults } from './catalog/location-faults.ts';
export {
  ASSIGN_ADDRESS,
  RESERVE_ADDRESS,
  UNASSIGN_ADDRESS,
} from './interface-changes/connection-operations.ts';
export {
  chargeMachine,
  chargeTraffic,
  checkDisk,
  findPlan,
  LARGEST_DISK_GB,
} from './prices/machine-lines.ts';
export { locationsWith, machineLocations } from './prices/sales.ts';
export {
  attach,
  detach,
  refuse,
  requireFit,
  requirePlace,
  requireStaysConnected,
} from './public-ips/acceptance.ts';
export { giveUpEphemeral, lockHolderOf } from './public-ips/keep.ts';
export {
  abandon,
  announce,
  keepAttached,
  type Prepared,
  prepare,
  restore,
  routeAgain,
  unassignedEvent,
  unplugAddress,
  withdraw,
  withhold,
} from './public-ips/routing.ts';
export { LocationRef, NearVmRef, VmRef } from './references.ts';
export { vmLife } from './vms/lifecycle.ts';
export { vms } from './vms/resource.ts';
export { lockVmIfThere } from './vms/store.ts';
export type { VmRow } from './vms/table.ts';
