/**
 * The exports of Flexible VPS that other families may import. A family imports only the `offers.ts` of another family,
 * so the other files of Flexible VPS can change without breaking other families. Imports between families must not be
 * circular: Flexible VPS imports nothing from a family that imports this file.
 *
 * The price lines of a machine are exported because the nodes of a Kubernetes cluster are machines of these plans, and
 * its locations because reserved addresses are sold where machines are.
 */
export {
  chargeMachine,
  chargeTraffic,
  checkDisk,
  findPlan,
  LARGEST_DISK_GB,
} from './prices/machine-lines.ts';
export { locationsWith, machineLocations } from './prices/sales.ts';
