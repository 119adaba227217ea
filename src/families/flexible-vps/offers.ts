/**
 * What Flexible VPS lends to other families. A family imports nothing of another family except its `offers.ts`, so this
 * file shows all that its neighbours depend on; the other files of the family can change without breaking them.
 * Imports between families form no circle either: Flexible VPS imports nothing of a family that imports this file.
 *
 * The price lines of a machine are here because the nodes of a Kubernetes cluster are machines of these plans.
 */
export {
  chargeMachine,
  chargeTraffic,
  checkDisk,
  findPlan,
  LARGEST_DISK_GB,
} from './prices/machine-lines.ts';
