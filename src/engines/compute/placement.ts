/** Chooses the host of a machine. A pure function, so that property tests can check it with any set of hosts. */
import type { Placement, Size } from './instance.ts';

export interface Host {
  readonly name: string;
  readonly total: Size;
  readonly used: Size;
}

export type Choice =
  | { readonly host: string }
  | { readonly refused: 'capacity_unavailable' | 'placement_unsatisfiable' };

export const freeOf = ({ total, used }: Host): Size => ({
  vcpus: total.vcpus - used.vcpus,
  memoryMb: total.memoryMb - used.memoryMb,
  diskGb: total.diskGb - used.diskGb,
});

export const contains = (room: Size, size: Size): boolean =>
  size.vcpus <= room.vcpus && size.memoryMb <= room.memoryMb && size.diskGb <= room.diskGb;

/** The host with the lowest share of used memory first; equal hosts by name. */
const byRoom = (a: Host, b: Host): number => {
  const share = ({ total, used }: Host): number => used.memoryMb / total.memoryMb;
  return share(a) - share(b) || (a.name < b.name ? -1 : 1);
};

/** `taken` lists the hosts of the group's other machines, one element for each machine. */
export function chooseHost(
  hosts: readonly Host[],
  size: Size,
  placement: Pick<Placement, 'policy' | 'strict'> | null,
  taken: readonly string[],
): Choice {
  const roomy = hosts.filter((host) => contains(freeOf(host), size)).sort(byRoom);
  const [emptiest] = roomy;
  if (emptiest === undefined) return { refused: 'capacity_unavailable' };
  if (placement === null || taken.length === 0) return { host: emptiest.name };
  const mates = ({ name }: Host): number => taken.filter((host) => host === name).length;
  const best =
    placement.policy === 'spread'
      ? roomy.reduce((least, host) => (mates(host) < mates(least) ? host : least))
      : roomy.reduce((most, host) => (mates(host) > mates(most) ? host : most));
  const isMet = placement.policy === 'spread' ? mates(best) === 0 : mates(best) === taken.length;
  return placement.strict && !isMet ? { refused: 'placement_unsatisfiable' } : { host: best.name };
}
