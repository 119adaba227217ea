/** The members of requests that name something of this family. Each says which list has the valid values. */
import { type Filter, Ref } from '../../kernel/reference.ts';
import { Id, Named, Slug, Type } from '../../kernel/schema.ts';

type Filters = Readonly<Record<string, Filter>>;

const rows = (list: string, filters?: Filters) => ({
  list,
  value: 'id',
  label: 'name',
  ...(filters === undefined ? {} : { filters }),
});

const AVAILABLE: Filter = { equals: 'available' };

export const LOCATIONS = { list: 'listVpsLocations', value: 'slug', label: 'name' };
export const PLANS = { list: 'listVpsPlans', value: 'slug', label: 'name' };
/** The id of an image is its slug if the provider offers it. */
export const IMAGES = rows('listImages');

export const LocationRef = Named('VpsLocationSlug', Ref(Slug, LOCATIONS));

/** The source of a new machine in the same request. */
const SOURCE: Filter = {
  from: ['/source/image_id', '/source/snapshot_id', '/source/vm_id', '/source/iso_id'],
};
/** The machine in the path of the request. */
const THIS_VM: Filter = { from: 'path/id' };

const planRef = (filters: Filters) => Ref(Slug, { ...PLANS, except: ['custom'], filters });

/** A plan for a new machine. `location` points to its location in the same request, the first that is there. */
export const NewPlanRef = (...location: readonly string[]) =>
  planRef({ location: { from: location.length === 1 ? location[0]! : location }, for_source: SOURCE });

export const ResizePlanRef = planRef({ resize_for: THIS_VM, resize_allowed: { equals: 'true' } });

const imageRef = (filters: Filters) =>
  Ref(Type.String({ minLength: 1, maxLength: 90 }), rows('listImages', { status: AVAILABLE, ...filters }));

export const NewImageRef = imageRef({ location: { from: '/location' } });
export const RedeployImageRef = imageRef({ for_vm: THIS_VM });

export const VmRef = Ref(Id('vm'), rows('listVms'));

/** For lists that can be narrowed to what a machine can be changed to. */
export const ForVm = Type.Optional({ ...VmRef, description: 'Only rows that this machine can use.' });

/** A machine in the location of the same request. */
export const NearVmRef = Ref(Id('vm'), rows('listVms', { location: { from: '/location' } }));

/** A snapshot of the machine in the path of the request. */
export const SnapshotOf = (vm: string) =>
  Ref(Id('snap'), rows('listVmSnapshots', { id: { from: vm }, status: AVAILABLE }));

/** A snapshot of any machine: the inventory lists them all. `location` points to the location in the same request. */
export const SnapshotRef = (location?: string) =>
  Ref(
    Id('snap'),
    rows('listResources', {
      type: { equals: 'snapshot' },
      status: AVAILABLE,
      ...(location === undefined ? {} : { location: { from: location } }),
    }),
  );

/** A backup of any machine, in any location. */
export const BackupRef = Ref(Id('bkp'), rows('listVmBackups', { status: AVAILABLE }));

export const BackupPolicyRef = Ref(Id('bpol'), rows('listBackupPolicies'));

/** A snapshot of any volume in the location of the same request. */
export const VolumeSnapshotRef = (location: string) =>
  Ref(
    Id('vsnap'),
    rows('listResources', {
      type: { equals: 'volume_snapshot' },
      status: AVAILABLE,
      location: { from: location },
    }),
  );

/** A snapshot of the volume in the path of the request. */
export const VolumeSnapshotOf = (volume: string) =>
  Ref(Id('vsnap'), rows('listVpsVolumeSnapshots', { id: { from: volume }, status: AVAILABLE }));

const VolumeRef = Ref(Id('vol'), rows('listVpsVolumes'));

/** For the list of machines that can have a volume. */
export const ForVolume = Type.Optional({
  ...VolumeRef,
  description: 'Only machines that this volume can be attached to.',
});

/** A machine that the volume in the path of the request can be attached to. */
export const VolumeVmRef = Ref(Id('vm'), rows('listVms', { for_volume: { from: 'path/id' } }));

/** A volume for a new machine in the location of the same request. */
export const NewVmVolumeRef = Ref(
  Id('vol'),
  rows('listVpsVolumes', { location: { from: '/location' }, status: AVAILABLE }),
);

/** Where a machine is: in the location of the same request, or where the machine in the path is. */
const NEW: Filters = { location: { from: '/location' } };
const EXISTING: Filters = { for_vm: THIS_VM };

const networkRef = (filters?: Filters) => Ref(Id('net'), rows('listVpsNetworks', filters));
export const NetworkRef = networkRef();
export const NewVmNetworkRef = networkRef(NEW);
export const VmNetworkRef = networkRef(EXISTING);
/** A network in the location of the same request. */
export const NewGatewayNetworkRef = networkRef(NEW);
/** A network that the gateway in the path of the request can lead into. */
export const GatewayNetworkRef = networkRef({ for_vpn_gateway: { from: 'path/id' } });

/** For the list of networks that a gateway can lead into. */
export const ForVpnGateway = Type.Optional({
  ...Ref(Id('vpn'), rows('listVpnGateways')),
  description: 'Only networks that this VPN gateway can lead into.',
});

const placementGroupRef = (filters?: Filters) => Ref(Id('pg'), rows('listPlacementGroups', filters));
export const PlacementGroupRef = placementGroupRef();
export const NewVmPlacementGroupRef = placementGroupRef(NEW);
export const VmPlacementGroupRef = placementGroupRef(EXISTING);

export const FirewallRef = Ref(Id('fw'), rows('listVpsFirewalls'));

/** An interface of the machine that stands beside it: interfaces are listed for each machine. */
export const InterfaceRef = Ref(Id('nic'), {
  list: 'listVmInterfaces',
  value: 'id',
  label: 'kind',
  filters: { id: { from: '/target/vm_id' } },
});

/** The id of an ISO is its slug if the provider offers it. */
export const ISOS = rows('listIsos');

const isoRef = (filters: Filters) =>
  Ref(Type.String({ minLength: 1, maxLength: 90 }), rows('listIsos', { status: AVAILABLE, ...filters }));
export const NewIsoRef = isoRef(NEW);
export const VmIsoRef = isoRef(EXISTING);

export const SshKeyRef = Ref(Id('sshkey'), rows('listVpsSshKeys'));

/** A reserved address. Ephemeral ones stay with their machine. */
export const PublicIpRef = Ref(Id('ip'), rows('listAddresses', { kind: { equals: 'reserved' } }));
