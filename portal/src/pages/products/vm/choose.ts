/** What a new machine is if nobody chooses: somebody who only wants one presses one button. */

/** A row of a list, or the body: what both have is said by the document. */
type Resource = Readonly<Record<string, unknown>>;

/** The lists are undefined while they are read. */
export interface Offers {
  readonly locations: readonly Resource[] | undefined;
  readonly images: readonly Resource[] | undefined;
  readonly plans: readonly Resource[] | undefined;
  /** The backup that the machine is made from, if it is one: the first choice is a plan that its disk fits on. */
  readonly backup?: Resource | undefined;
  readonly keys: readonly Resource[] | undefined;
  readonly names: readonly string[] | undefined;
}

type Os = { readonly family: string; readonly distribution: string; readonly version: string };

export const osOf = (image: Resource): Os => image['os'] as Os;
export const isPublic = (image: Resource): boolean => image['kind'] === 'public';
export const isOpen = (location: Resource): boolean =>
  location['status'] === 'available' || location['status'] === 'limited';

/** Most people look for these first. */
const KNOWN = ['ubuntu', 'debian', 'almalinux', 'rocky', 'fedora', 'alpine'];

export interface System {
  readonly distribution: string;
  readonly title: string;
  /** The newest first. */
  readonly images: readonly Resource[];
}

const newestFirst = (a: Resource, b: Resource): number =>
  osOf(b).version.localeCompare(osOf(a).version, 'en', { numeric: true }) ||
  String(a['architecture']).localeCompare(String(b['architecture']));

/** "Ubuntu 24.04 LTS" is a version of "Ubuntu". */
function titleOf(image: Resource): string {
  const { version, distribution } = osOf(image);
  const [before = ''] = String(image['name']).split(version === '' ? '\n' : version);
  return before.trim() === '' ? distribution : before.trim();
}

const rankOf = (distribution: string): number =>
  KNOWN.includes(distribution) ? KNOWN.indexOf(distribution) : KNOWN.length;

export function systemsOf(images: readonly Resource[]): readonly System[] {
  const groups = new Map<string, Resource[]>();
  for (const image of images.filter(isPublic)) {
    const { distribution } = osOf(image);
    groups.set(distribution, [...(groups.get(distribution) ?? []), image]);
  }
  return [...groups]
    .map(([distribution, group]) => ({
      distribution,
      title: titleOf(group[0]!),
      images: group.toSorted(newestFirst),
    }))
    .toSorted((a, b) => rankOf(a.distribution) - rankOf(b.distribution) || a.title.localeCompare(b.title));
}

interface Sold {
  readonly available: boolean;
  readonly price: { readonly monthly: string } | null;
}

/** Plans are listed for one location. */
export const soldHere = (plan: Resource): Sold | undefined => (plan['locations'] as readonly Sold[])[0];

export const monthlyOf = (plan: Resource): number =>
  Number(soldHere(plan)?.price?.monthly ?? Number.POSITIVE_INFINITY);

export const cheapest = (plans: readonly Resource[]): Resource | undefined =>
  plans
    .filter((plan) => plan['category'] !== 'custom' && soldHere(plan)?.available)
    .toSorted((a, b) => monthlyOf(a) - monthlyOf(b))[0];

const fits = (plan: Resource, backup: Resource | undefined): boolean =>
  backup === undefined ||
  (plan['architecture'] === backup['architecture'] && Number(plan['disk_gb']) >= Number(backup['disk_gb']));

export function freeName(names: readonly string[], stem: string): string {
  for (let n = 1; ; n++) if (!names.includes(`${stem}-${n}`)) return `${stem}-${n}`;
}

/** The body with a choice for everything that a machine must have. The same object if nothing is missing. */
export function completed(body: Resource, offers: Offers): Resource {
  const { locations, images, plans, backup, keys, names } = offers;
  const added: Record<string, unknown> = {};
  const source = body['source'] as Resource | undefined;
  if (body['location'] === undefined) {
    const first = locations?.find(isOpen);
    if (first) added['location'] = first['slug'];
  }
  const isMissing = (id: unknown): boolean => !images?.some((image) => image['id'] === id);
  if (
    images !== undefined &&
    (source === undefined || (source['type'] === 'image' && isMissing(source['image_id'])))
  ) {
    const first = systemsOf(images)[0]?.images[0];
    if (first) added['source'] = { type: 'image', image_id: first['id'] };
  }
  const isSold = plans?.some((plan) => plan['slug'] === body['plan'] && soldHere(plan)?.available);
  if (plans !== undefined && body['custom_size'] === undefined && !isSold) {
    const first = cheapest(plans.filter((plan) => fits(plan, backup))) ?? cheapest(plans);
    if (first && first['slug'] !== body['plan']) added['plan'] = first['slug'];
  }
  if (names !== undefined && body['name'] === undefined) added['name'] = freeName(names, 'web');
  if (body['ssh_key_ids'] === undefined && keys?.length === 1) added['ssh_key_ids'] = [keys[0]!['id']];
  return Object.keys(added).length === 0 ? body : { ...body, ...added };
}
