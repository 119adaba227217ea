import { describe, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { OperationSearch } from '../../../search/operation-search.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { Search } from './search.ts';

const registry = buildRegistry(families);
const index = new OperationSearch(exampleDocument(registry));
const search = new Search(registry, () => index);
const first = (query: string): string => search.find(query)[0]?.endpoint.id ?? 'nothing';

describe('typing errors', () => {
  it.each([
    ['creat a snpashot', 'createVmSnapshot'],
    ['delte a server', 'deleteVm'],
    ['list my volmues', 'listVpsVolumes'],
    ['firewal rule hinzufuegn', 'addVpsFirewallRule'],
    ['shwo my servers', 'listVms'],
    ['resset the root pasword', 'resetVmPassword'],
  ])('are forgiven in "%s"', (query, id) => expect(first(query)).toBe(id));

  it('are not assumed in short words that are correct', () => {
    expect(first('open the vnc of a vm')).toBe('createVmConsoleSession');
  });
});

describe('the verb of a question decides', () => {
  it.each([
    ['make a server', 'createVm'],
    ['change a server', 'updateVm'],
    ['remove a server', 'deleteVm'],
    ['show a server', 'getVm'],
    ['show all servers', 'listVms'],
    ['which servers are stopped', 'listVms'],
    ['make the server bigger', 'resizeVm'],
    ['turn the server off', 'performVmAction'],
  ])('"%s" finds %s', (query, id) => expect(first(query)).toBe(id));
});

describe('German', () => {
  it.each([
    ['Server anlegen', 'createVm'],
    ['zeige alle Server', 'listVms'],
    ['Schalte den Server aus', 'performVmAction'],
    ['Festplatte vergrößern', 'performVpsVolumeAction'],
    ['Festplatte vergroessern', 'performVpsVolumeAction'],
    ['Festplatte vergrossern', 'performVpsVolumeAction'],
    ['Rechnungsgrenze setzen', 'setBudget'],
    ['Firewallregel löschen', 'removeVpsFirewallRule'],
    ['Wer hat den Server gelöscht?', 'listAuditEntries'],
  ])('is understood: "%s"', (query, id) => expect(first(query)).toBe(id));
});

describe('words of other clouds', () => {
  it.each([
    ['launch an EC2 instance', 'createVm'],
    ['delete a droplet', 'deleteVm'],
    ['create a security group', 'createVpsFirewall'],
    ['list EBS volumes', 'listVpsVolumes'],
    ['associate an elastic IP', 'setAddressAssignment'],
    ['create an AMI', 'createImage'],
  ])('are understood: "%s"', (query, id) => expect(first(query)).toBe(id));
});

describe('of an operation that can do several things, the one that is meant comes first', () => {
  it.each([
    ['make a disk bigger', 'performVpsVolumeAction', 'resize'],
    ['attach a disk to a machine', 'performVpsVolumeAction', 'attach'],
    ['unplug a volume so another machine can have it', 'performVpsVolumeAction', 'detach'],
    ['put a volume back to its snapshot', 'performVpsVolumeAction', 'restore'],
    ['power off', 'performVmAction', 'power_off'],
    ['turn the server off', 'performVmAction', 'shutdown'],
    ['forcefully switch off the server', 'performVmAction', 'power_off'],
    ['pull the plug on a hung machine', 'performVmAction', 'power_off'],
    ['shut everything off over the weekend to save money', 'performBulkVmAction', 'shutdown'],
    ['restart my vm', 'performVmAction', 'restart'],
    ['hard reset', 'performVmAction', 'reset'],
    ['Festplatte größer machen', 'performVpsVolumeAction', 'resize'],
    ['Volume vom Server trennen', 'performVpsVolumeAction', 'detach'],
  ])('"%s": %s, %s', (query, id, type) => {
    const [hit] = search.find(query);
    expect([hit?.endpoint.id, hit?.types[0]]).toEqual([id, type]);
  });

  it('names none if the question does not say what to do', () => {
    expect(search.find('volume').every(({ types }) => types.length === 0)).toBe(true);
  });
});

describe('a bare name of a thing asks how to have one', () => {
  it.each([
    ['AMI', 'createImage'],
    ['anti affinity', 'createPlacementGroup'],
    ['azure vnet', 'createVpsNetwork'],
    ['lambda webhook', 'setWebhook'],
    ['EBS volume', 'createVpsVolume'],
    ['NSG', 'createVpsFirewall'],
    ['EBS', 'createVpsVolume'],
    ['GCE persistent disk', 'createVpsVolume'],
    ['site to site vpn', 'createVpnGateway'],
    ['wireguard vpn for my laptop', 'createVpnPeer'],
    ['Sicherung jede Nacht automatisch', 'createBackupPolicy'],
    ['digital ocean cloud firewall', 'createVpsFirewall'],
    ['Azure availability set for spreading VMs', 'createPlacementGroup'],
  ])('"%s" finds %s', (query, id) => expect(first(query)).toBe(id));

  it.each([
    ['volumes', 'listVpsVolumes'],
    ['checksum of a backup', 'getVmBackup'],
    ['public key of the VPN gateway', 'getVpnGateway'],
    ['VPN gateway public key', 'getVpnGateway'],
  ])('"%s" asks for what there is, and finds %s', (query, id) => expect(first(query)).toBe(id));
});

describe('words that only make something likely do not make a goal of it', () => {
  it.each([
    ['spawn a debian vm', 'createVm'],
    ['automatic nightly reboot', 'performVmAction'],
    ['automatische Backups täglich', 'createBackupPolicy'],
  ])('"%s" finds %s', (query, id) => expect(first(query)).toBe(id));
});

it('where a thing cannot be changed, "replace" makes another', () => {
  expect(first('replace ssh keys with a new one')).toBe('createVpsSshKey');
  expect(first('replace the firewall rules')).toBe('updateVpsFirewall');
});

it('a verb is heard although the tables know the thing that it makes: "attach a disk", "attached disk"', () => {
  expect(first('import a disk')).toBe('createImage');
  expect(first('attach a disk')).toBe('performVpsVolumeAction');
  expect(first('what is running right now')).toBe('listVms');
});

describe('a question without meaning', () => {
  it.each(['', '   ', '€€€', 'xyzzy qwrtzz', '('.repeat(5000), 'a'.repeat(100_000)])(
    'gets the nearest topics, each with an operation to begin with',
    (query) => {
      const topics = search.nearestTopics(query, 8);
      expect(topics).toHaveLength(8);
      const known = new Set(registry.endpoints.map(({ id }) => id));
      expect(topics.filter(({ operation }) => !known.has(operation))).toEqual([]);
    },
  );

  it('gets topics with similar words first', () => {
    expect(search.nearestTopics('snpshtting', 3).map(({ topic }) => topic)).toContain('snapshot');
  });

  it('gets topics of the family that it names', () => {
    const families = search.nearestTopics('xyzzy', 8, 'account').map(({ operation }) => operation);
    expect(families).toContain('getWhoami');
    expect(families).not.toContain('listVms');
  });
});
