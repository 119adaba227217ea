/**
 * Everything a law lets pass, with the reason. A law compares what it found with its list here, both ways: what is
 * not listed fails, and so does an entry that is no longer needed. The lists may only shrink.
 */
import type { FamilyName } from '../kernel/families.ts';

/** Endpoints of the contract that have no record yet. */
export const notBuilt: Readonly<Record<FamilyName, number>> = {
  account: 0,
  'flexible-vps': 44,
  kubernetes: 27,
  dedicated: 25,
  storage: 14,
  datacenter: 20,
  'ip-management': 8,
  monitoring: 9,
  support: 6,
};

interface Exemption {
  /** What the law would name: an endpoint, a table, or a file from `src/` on. */
  readonly subject: string;
  readonly reason: string;
}

export const exemptions = {
  fileSize: [
    {
      subject: 'src/kernel/problems/catalogue.ts',
      reason:
        'One table of all refusals: split, nobody could see whether a code is taken or two mean the same.',
    },
  ],
  sqlInStoresOnly: [
    {
      subject: 'src/services.ts',
      reason: 'Asks whether the database answers at all (select 1); there is no table it could belong to.',
    },
  ],
  surfacesTakeTypesFromStores: [
    {
      subject: 'src/surfaces/cli/upkeep.ts',
      reason:
        'The operator verifies the audit chain; the function that walks it is the whole of that command.',
    },
  ],
  listsOfRows: [
    { subject: 'listLimits', reason: 'Lists the limits the provider sells by: as many for every account.' },
    { subject: 'listMyApis', reason: 'Lists the endpoints of the registry: as many for every account.' },
    { subject: 'listPrices', reason: 'Lists the price book of the provider: the same for every account.' },
    { subject: 'listVpsLocations', reason: 'Lists the places of the provider: the same for every account.' },
    { subject: 'listVpsPlans', reason: 'Lists what the provider sells: the same for every account.' },
  ],
  oneQueryPerDocument: [
    {
      subject: 'getIpAllowlist',
      reason:
        'Three independent parts (mode, entries, what Report only would have denied), whatever their size.',
    },
  ],
  operationOfAccepted: [
    {
      subject: 'cancelOperation',
      reason: 'Answers with the operation it stops, and names that one; it starts none.',
    },
    {
      subject: 'redeliverWebhook',
      reason: 'The delivery in its answer is what it starts; deliveries are followed by their own id.',
    },
  ],
  permissionChecksInPipelineOnly: [
    {
      subject: 'src/families/account/self/my-apis.ts',
      reason: 'Tells what the pipeline would decide for each endpoint; it lets nobody in or out.',
    },
    {
      subject: 'src/families/account/self/whoami.ts',
      reason: 'Tells what the pipeline would decide, as the list of effective permissions.',
    },
  ],
  silentWrites: [
    {
      subject: 'redeliverWebhook',
      reason: 'Sends once more what was told before; the list of deliveries shows what becomes of it.',
    },
  ],
  statesWalked: [
    {
      subject: 'cancelOperation (image)',
      reason: 'Names the operation, not what it works on; whether that may be stopped is the law of kinds.',
    },
    {
      subject: 'cancelOperation (network)',
      reason: 'Names the operation, not what it works on; whether that may be stopped is the law of kinds.',
    },
    {
      subject: 'cancelOperation (snapshot)',
      reason: 'Names the operation, not what it works on; whether that may be stopped is the law of kinds.',
    },
    {
      subject: 'deleteVpsNetwork (interface)',
      reason:
        'Waits for interfaces that are changed by others instead of refusing; deletion.test.ts beside it tries that.',
    },
  ],
} as const satisfies Record<string, readonly Exemption[]>;

export type Law = keyof typeof exemptions;

/** The subjects a law finds at fault must be exactly these. */
export function exemptFrom(law: Law): string[] {
  return exemptions[law].map(({ subject }) => subject).sort();
}
