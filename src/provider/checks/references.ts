/** Checks that names are unique within their list and that every reference names an existing entry. */
import { nearest } from '../../kernel/did-you-mean.ts';
import type { Draft, Entry, ListName } from '../draft.ts';
import type { Report } from '../fault.ts';

/** The lists whose entries are found by name, and the member that contains the name. */
const named: readonly (readonly [ListName, string])[] = [
  ['products', 'family'],
  ['locations', 'slug'],
  ['plans', 'slug'],
  ['images', 'slug'],
  ['isos', 'slug'],
  ['volume_tiers', 'slug'],
  ['kubernetes/tiers', 'slug'],
  ['kubernetes/versions', 'version'],
  ['object_storage/regions', 'location'],
  ['dedicated/operating_systems', 'slug'],
  ['dedicated/products', 'slug'],
  ['datacenter/sites', 'slug'],
  ['monitoring/probe_regions', 'slug'],
  ['address_pools', 'slug'],
  ['limits', 'id'],
];

export function checkUnique(draft: Draft, report: Report): void {
  for (const [list, member] of named) tellRepeated(draft.entries(list), member, report);
  for (const { path, value } of draft.entries('dedicated/products')) {
    tellRepeated(inside(`${path}/sites`, value.sites), 'site', report);
    tellRepeated(inside(`${path}/terms`, value.terms), 'months', report);
    tellRepeated(inside(`${path}/uplinks`, value.uplinks), 'slug', report);
  }
  for (const { path, value } of draft.entries('datacenter/sites')) {
    tellRepeated(inside(`${path}/cross_connects`, value.cross_connects), 'media', report);
  }
}

function inside(path: string, values: readonly object[]): Entry<object>[] {
  return values.map((value, index) => ({ path: `${path}/${index}`, value }));
}

function tellRepeated(entries: readonly Entry<object>[], member: string, report: Report): void {
  const first = new Map<unknown, string>();
  for (const { path, value } of entries) {
    const name = (value as Record<string, unknown>)[member];
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, path);
    else
      report(
        `${path}/${member}`,
        `${String(name)} is already the ${member} of ${earlier}.`,
        'Rename or remove one.',
      );
  }
}

type Known = ReadonlySet<string> | null;

export function checkReferences(draft: Draft, report: Report): void {
  const locations = draft.names('locations');
  const plans = draft.names('plans');
  const sites = draft.names('datacenter/sites');
  const systems = draft.names('dedicated/operating_systems');

  const one = (path: string, noun: string, name: string, known: Known): void => {
    if (known === null || known.has(name)) return;
    const meant = nearest(name, known);
    const names = [...known].slice(0, 20).join(', ') || 'none';
    report(path, `There is no ${noun} ${name}.`, meant ? `Did you mean ${meant}?` : `There are: ${names}.`);
  };
  const each = (path: string, noun: string, names: readonly string[], known: Known): void => {
    for (const [index, name] of names.entries()) one(`${path}/${index}`, noun, name, known);
  };

  for (const { path, value } of draft.entries('plans')) {
    each(`${path}/locations`, 'location', value.locations, locations);
  }
  const custom = '/catalogue/custom_plan';
  if (draft.isSound(custom) && draft.file.catalogue.custom_plan) {
    each(`${custom}/locations`, 'location', draft.file.catalogue.custom_plan.locations, locations);
  }
  for (const { path, value } of draft.entries('volume_tiers')) {
    each(`${path}/locations`, 'location', value.locations, locations);
  }
  const kubernetes = '/catalogue/kubernetes';
  if (draft.isSound(kubernetes)) {
    each(`${kubernetes}/regions`, 'location', draft.file.catalogue.kubernetes.regions, locations);
    each(`${kubernetes}/node_plans`, 'plan', draft.file.catalogue.kubernetes.node_plans, plans);
  }
  for (const { path, value } of draft.entries('object_storage/regions')) {
    one(`${path}/location`, 'location', value.location, locations);
  }
  for (const { path, value } of draft.entries('dedicated/products')) {
    value.sites.forEach(({ site }, index) => {
      one(`${path}/sites/${index}/site`, 'site', site, sites);
    });
    each(`${path}/operating_systems`, 'operating system', value.operating_systems, systems);
  }
  for (const { path, value } of draft.entries('datacenter/sites')) {
    one(`${path}/location`, 'location', value.location, locations);
  }
  for (const { path, value } of draft.entries('address_pools')) {
    one(`${path}/location`, 'location', value.location, locations);
  }
  for (const { path, value } of draft.entries('prices')) {
    value.prices.forEach(({ location }, index) => {
      if (location !== null) one(`${path}/prices/${index}/location`, 'location', location, locations);
    });
  }
}

/** Checks that each location of a plan has machines of the plan's architecture. */
export function checkArchitectures(draft: Draft, report: Report): void {
  const offered = new Map(
    draft.entries('locations').map(({ value }) => [value.slug, value.architectures as readonly string[]]),
  );
  const custom = '/catalogue/custom_plan';
  const own = draft.isSound(custom) ? draft.file.catalogue.custom_plan : null;
  for (const { path, value } of [
    ...draft.entries('plans'),
    ...(own === null ? [] : [{ path: custom, value: own }]),
  ]) {
    value.locations.forEach((slug, index) => {
      const kinds = offered.get(slug);
      if (kinds === undefined || kinds.includes(value.architecture)) return;
      const fix = 'Take the location out of the plan, or add the architecture to the location.';
      report(`${path}/locations/${index}`, `${slug} has no ${value.architecture} machines.`, fix);
    });
  }
}
