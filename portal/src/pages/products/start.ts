/** The values of a form that a link fills in: `?source.type=backup&source.backup_id=bkp_…`. */

interface Start {
  readonly [member: string]: string | Start;
}

/** Ids, slugs and names. Anybody can write a link: what runs on a machine, or who may reach it, is not filled in by one. */
const VALUE = /^[a-z0-9][a-z0-9._-]{0,89}$/;
const MEMBER = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/;

export function startOf(search: Readonly<Record<string, string>>): Start {
  const start: Record<string, string | Start> = {};
  for (const [place, value] of Object.entries(search)) {
    if (!MEMBER.test(place) || !VALUE.test(value)) continue;
    const [member = '', inner] = place.split('.');
    const before = start[member];
    start[member] =
      inner === undefined ? value : { ...(typeof before === 'object' ? before : {}), [inner]: value };
  }
  return start;
}
