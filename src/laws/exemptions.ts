/**
 * The exceptions that the laws allow, each with its reason. A law compares its findings with its list here: a finding
 * without an entry fails, and so does an entry without a finding. The lists may only shrink.
 */
import type { FamilyName } from '../kernel/families.ts';

/** Endpoints of the contract that have no record yet. */
export const notBuilt: Readonly<Record<FamilyName, number>> = {
  account: 0,
  'flexible-vps': 0,
  kubernetes: 27,
  dedicated: 25,
  storage: 14,
  datacenter: 20,
  'ip-management': 0,
  monitoring: 9,
  support: 0,
};

interface Exemption {
  /** The name that the law reports: an endpoint, a table, or the path of a file from `src/` on. */
  readonly subject: string;
  readonly reason: string;
}

export const exemptions = {
  fileSize: [],
  sqlInStoresOnly: [],
  connectionsWithLimits: [
    ...['src/engines/compute/incus/connections.ts', 'src/engines/compute/incus/ovn/ovsdb.ts'].map(
      (subject) => ({
        subject,
        reason:
          "The servers are the provider's own engines; a call to one ends with its step, or after the patience of a request.",
      }),
    ),
    {
      subject: 'src/surfaces/cli/doctor/network.ts',
      reason: 'Asks this installation itself, at its own address.',
    },
  ],
  surfacesTakeTypesFromStores: [
    {
      subject: 'src/surfaces/cli/upkeep.ts',
      reason:
        'The command that verifies the audit chain consists only of a call to the function of the store.',
    },
  ],
  productWords: [
    ...['catalogue', 'draft', 'metal', 'checks/references', 'checks/server'].map((name) => ({
      subject: `src/provider/${name}.ts`,
      reason: "The schema of the provider's catalogue, whose sections are named after what is sold.",
    })),
  ],
  createdByEngines: [
    {
      subject: 'address',
      reason: 'No engine knows of it until a machine has it; addresses.test.ts reserves one for a machine.',
    },
  ],
  declaredLimits: [
    {
      subject: 'updateVpnGateway',
      reason: 'It is refused if a network that it joins has no free address, whatever the limits are.',
    },
  ],
  limitsOfCalls: [
    ...['account.api-keys', 'account.ip-allowlist-entries'].map((subject) => ({
      subject,
      reason:
        'Only people add to it, in the portal, where every change of an account locks the account first.',
    })),
  ],
  secretsOfResources: [
    ...['createVm', 'redeployVm', 'resetVmPassword', 'setVmRescue'].map((subject) => ({
      subject,
      reason: 'A password of the guest, which opens nothing here. It lasts until somebody changes it there.',
    })),
    {
      subject: 'getVpnPeerConfig',
      reason:
        'The peer is a resource of the account, and stays until it is deleted or expires, like a machine.',
    },
    {
      subject: 'setWebhook',
      reason: 'The secret signs what we send, and opens nothing here. It lasts as long as its webhook.',
    },
  ],
  formsFilled: [],
  sampledLaws: [
    {
      subject: 'src/laws/audit-chain.test.ts',
      reason: 'Its cases are ways to forge an entry; the endpoints only write the entries.',
    },
    {
      subject: 'src/laws/key-ids.test.ts',
      reason: 'It looks for ids of keys in all columns, which only the calls of all endpoints fill.',
    },
    {
      subject: 'src/laws/table-scans.test.ts',
      reason: 'The plans of PostgreSQL depend on the rows that the calls of all endpoints leave.',
    },
  ],
  keptForGood: [
    { subject: 'ticket', reason: 'What was agreed with the provider stays; a ticket ends by being closed.' },
    { subject: 'ticket_message', reason: 'Nobody changes or takes back what the other has read.' },
  ],
  listsOfRows: [
    {
      subject: 'listLimits',
      reason: 'Lists the limits of the catalogue: the same number for every account.',
    },
    {
      subject: 'listMyApis',
      reason: 'Lists the endpoints of the registry: the same number for every account.',
    },
    { subject: 'listPrices', reason: 'Lists the prices of the catalogue: the same for every account.' },
    {
      subject: 'listVpsLocations',
      reason: 'Lists the locations of the catalogue: the same for every account.',
    },
    { subject: 'listVpsPlans', reason: 'Lists the plans of the catalogue: the same for every account.' },
  ],
  nextStepsTried: [
    {
      subject: 'account_restricted',
      reason: 'Advises to read the reason in the portal, which has no page for it yet.',
    },
    {
      subject: 'account_suspended',
      reason: 'Advises to read the reason in the portal, which has no page for it yet.',
    },
    {
      subject: 'headers_too_large',
      reason:
        'Is answered before a request exists; header-limit.test.ts also sends headers that are small enough.',
    },
    {
      subject: 'rate_limited',
      reason: 'Advises to wait up to a minute; rate-limit.test.ts checks that Retry-After is long enough.',
    },
    {
      subject: 'request_timeout',
      reason: 'Needs a real connection that is slow; hostile.test.ts tries a slow and a fast one.',
    },
    {
      subject: 'resource_suspended',
      reason: 'Advises to ask the provider, who answers in person.',
    },
    {
      subject: 'stream_limit_reached',
      reason: 'Needs real connections; event-stream.test.ts closes a stream and opens another.',
    },
  ],
  oneQueryPerDocument: [
    {
      subject: 'getIpAllowlist',
      reason:
        'Three independent parts (mode, entries, denials that Report only would cause): always three queries.',
    },
  ],
  operationOfAccepted: [
    {
      subject: 'cancelOperation',
      reason: 'Answers with the operation that it cancels and starts no operation of its own.',
    },
    {
      subject: 'redeliverWebhook',
      reason: 'Starts a delivery, not an operation; the answer has the id of the delivery to follow.',
    },
  ],
  permissionChecksInPipelineOnly: [
    {
      subject: 'src/families/account/self/my-apis.ts',
      reason: 'Reports what the pipeline would decide for each endpoint; it allows and denies no call.',
    },
    {
      subject: 'src/families/account/self/whoami.ts',
      reason: 'Reports what the pipeline would decide, as the list of effective permissions.',
    },
  ],
  readBack: [
    ...['/source/architecture', '/source/os', '/source/boot_mode'].map((at) => ({
      subject: `createImage ${at}`,
      reason: 'Needs a server with a file; import.test.ts imports one and compares them.',
    })),
  ],
  rowsRead: [
    ...['api_keys', 'budget_crossings', 'budgets', 'ip_allowlist_entries', 'members', 'webhooks'].map(
      (subject) => ({
        subject,
        reason:
          'Settings of the account, not resources: a limit keeps them few, however large the account is.',
      }),
    ),
    {
      subject: 'revokeApiKey: accounts',
      reason: 'Reads the state of each active key, of which a limit allows few, to warn of the last one.',
    },
    ...[
      'createVpnGateway: vpn_gateways',
      'createVpnGateway: vps_networks',
      'createVpsNetwork: vps_networks',
    ].map((subject) => ({
      subject,
      reason:
        'Looks for overlapping ranges among the networks and gateways, of which a limit allows 200 and 50.',
    })),
    ...['createTicket', 'listLimits', 'estimatePrice'].map((id) => ({
      subject: `${id}: tickets`,
      reason: 'Counts the tickets that are open and those of the last hour, of which limits allow 50 and 20.',
    })),
    ...['listLimits', 'estimatePrice'].map((id) => ({
      subject: `${id}: reverse_records`,
      reason:
        'Counts the names of IPv6 addresses, of which a limit allows 10,000, among the names of all addresses.',
    })),
    {
      subject: 'estimatePrice: meter_totals',
      reason: 'Reads the sums of each budget with a label selector; a limit allows few budgets.',
    },
    {
      subject: 'attachVpsFirewall: vms',
      reason: 'Checks and marks each machine that the firewall covers, and a label selector may cover all.',
    },
    ...['addVpsFirewallRule', 'deleteVpsFirewall', 'detachVpsFirewall', 'updateVpsFirewall'].map((id) => ({
      subject: `${id}: firewalls`,
      reason:
        'Counts or searches the rules of all firewalls of the account, of which a limit allows 500 at most.',
    })),
    ...['deleteVmBackup', 'deleteVmSnapshot', 'listImages'].map((id) => ({
      subject: `${id}: vps_images`,
      reason: 'Goes through the own images of the account, of which a limit allows 500 at most.',
    })),
    {
      subject: 'listIsos: vps_isos',
      reason: 'Sorts the own ISOs, of which a limit allows 200 at most, among those of the provider.',
    },
    {
      subject: 'listVmInterfaces: vm_interfaces',
      reason: 'Sorts all interfaces of one machine, of which a limit allows eight.',
    },
    {
      subject: 'listVpnGateways: vpn_peers',
      reason: 'Counts the peers of each gateway of the page, of which a limit allows 250.',
    },
    ...['listVmSnapshots: vm_snapshots', 'listVpsVolumeSnapshots: volume_snapshots'].map((subject) => ({
      subject,
      reason: 'Sorts the snapshots of one machine or volume by their last change; a limit allows 30.',
    })),
    ...['firewall_attachments', 'vm_interfaces', 'vms'].map((table) => ({
      subject: `listVms: ${table}`,
      reason: 'Shows the interfaces and firewalls of each machine, of which limits allow eight and ten.',
    })),
  ],
  handedOut: [
    {
      subject: 'rehearsals.token_hash',
      reason:
        'Opens nothing: it confirms a call that needs the same key as before, and confirmation.test.ts tries another key.',
    },
  ],
  silentWrites: [
    {
      subject: 'replyToTicket',
      reason:
        'Whoever writes knows of it; answers of the provider, and tickets that a reply opens, write events.',
    },
    {
      subject: 'redeliverWebhook',
      reason: 'Sends an existing event again; the list of deliveries shows the result.',
    },
  ],
  statesWalked: [
    ...['attachVmPublicIp', 'detachVmPublicIp', 'createVm', 'deleteVm', 'deleteVpnGateway'].map((id) => ({
      subject: `${id} (address)`,
      reason: 'Its path names no address; addresses.test.ts and public-ips.test.ts test what happens to it.',
    })),
    {
      subject: 'createVm (volume)',
      reason: 'Its path names no volume, its body does; volumes/machines.test.ts tests that.',
    },
    {
      subject: 'deleteVm (volume)',
      reason: 'Its path names a machine; volumes/machines.test.ts tests what happens to its volumes.',
    },
    {
      subject: 'deleteVpsNetwork (interface)',
      reason:
        'Waits until other operations on the interfaces end, instead of refusing; deletion.test.ts tests that.',
    },
  ],
} as const satisfies Record<string, readonly Exemption[]>;

export type Law = keyof typeof exemptions;

/** The findings of the law must equal this list. */
export function exemptFrom(law: Law): string[] {
  return exemptions[law].map(({ subject }) => subject).sort();
}
