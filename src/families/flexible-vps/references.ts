/** The members of requests that name something of this family. Each says which list has the valid values. */
import { type Filter, Ref } from '../../kernel/reference.ts';
import { Id, Slug, Type } from '../../kernel/schema.ts';

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

export const LocationRef = Ref(Slug, LOCATIONS);

/** `location` points to the location of the machine in the same request. */
export const PlanRef = (location?: string) =>
  Ref(Slug, {
    ...PLANS,
    except: ['custom'],
    ...(location === undefined ? {} : { filters: { location: { from: location } } }),
  });

export const ImageRef = Ref(
  Type.String({ minLength: 1, maxLength: 90 }),
  rows('listImages', { status: AVAILABLE }),
);

export const VmRef = Ref(Id('vm'), rows('listVms'));

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

/** `location` points to the location of the machine in the same request. */
export const NetworkRef = (location?: string) =>
  Ref(
    Id('net'),
    rows('listVpsNetworks', location === undefined ? undefined : { location: { from: location } }),
  );

export const PlacementGroupRef = (location?: string) =>
  Ref(
    Id('pg'),
    rows('listPlacementGroups', location === undefined ? undefined : { location: { from: location } }),
  );

export const SshKeyRef = Ref(Id('sshkey'), rows('listVpsSshKeys'));

/** Addresses have no list of their own in this family; the inventory lists them. */
export const PublicIpRef = Ref(Id('ip'), rows('listResources', { type: { equals: 'public_ip' } }));
