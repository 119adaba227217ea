/** The contracts of all families, in the order in which the API lists them. A new family is one line here. */
import { accountContract } from '../families/account/contract.ts';
import { datacenterContract } from '../families/datacenter/contract.ts';
import { dedicatedContract } from '../families/dedicated/contract.ts';
import { flexibleVpsContract } from '../families/flexible-vps/contract.ts';
import { ipManagementContract } from '../families/ip-management/contract.ts';
import { kubernetesContract } from '../families/kubernetes/contract.ts';
import { monitoringContract } from '../families/monitoring/contract.ts';
import { storageContract } from '../families/storage/contract.ts';
import { supportContract } from '../families/support/contract.ts';
import type { FamilyContract } from './form.ts';

const contracts = [
  accountContract,
  flexibleVpsContract,
  kubernetesContract,
  dedicatedContract,
  storageContract,
  datacenterContract,
  ipManagementContract,
  monitoringContract,
  supportContract,
] as const;

type Contract = (typeof contracts)[number];
/** The keys that a table has in the contracts of all families together. */
type KeysIn<Table extends keyof FamilyContract, Of = Contract> = Of extends {
  readonly [K in Table]: infer Entries;
}
  ? keyof Entries
  : never;

export type FamilyName = Contract['name'];
export type FamilyProblemCode = KeysIn<'problems'>;
export type FamilyFieldCode = KeysIn<'fieldCodes'>;
export type FamilyPresetName = KeysIn<'presets'>;

export const familyContracts: readonly (FamilyContract & { readonly name: FamilyName })[] = contracts;

/** Entries of several tables as one table. Two with the same name would hide each other, so that is refused. */
export function collected<Entry>(tables: readonly Readonly<Record<string, Entry>>[]): Record<string, Entry> {
  const entries = tables.flatMap((table) => Object.entries(table));
  const twice = entries.find(([name], nth) => entries.findIndex(([other]) => other === name) !== nth);
  if (twice !== undefined) throw new Error(`The contract defines ${twice[0]} twice.`);
  return Object.fromEntries(entries);
}
