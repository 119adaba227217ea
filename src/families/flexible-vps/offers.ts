/**
 * The exports that other families may use. A family imports nothing from another family except its `offers.ts`, so all
 * other files of this family can change without breaking another family. Imports between families must not form a
 * cycle: Flexible VPS imports nothing from a family that imports this file.
 *
 * The price lines of a machine are exported because the nodes of a Kubernetes cluster are machines of these plans.
 */
export {
  chargeMachine,
  chargeTraffic,
  checkDisk,
  findPlan,
  LARGEST_DISK_GB,
} from './prices/machine-lines.ts';
