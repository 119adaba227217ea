/**
 * Who is on which host. The engine itself promises room to nobody, so whoever makes a machine writes it down here first,
 * one after the other, whichever process asks. An entry lives from before its machine is made until after it is gone.
 */
import type { Placement, Ref, Size } from '../instance.ts';
import type { Choice, Host } from '../placement.ts';

/** A host and all there is of it; what is used is known from the entries. */
export type Room = Pick<Host, 'name' | 'total'>;

export interface Entry extends Ref {
  readonly host: string;
  readonly size: Size;
}

export interface Ledger {
  /** Where it is to be made: where it is written down already, else where it fits best. */
  reserve(ref: Ref, size: Size, placement: Placement | null, rooms: readonly Room[]): Promise<Choice>;
  /** For a machine that grows, shrinks or moves; refused where there is no room, and then nothing changes. */
  move(ref: Ref, size: Size, placement: Placement | null, rooms: readonly Room[]): Promise<Choice>;
  /** What `reserve` would say. */
  choose(size: Size, placement: Placement | null, rooms: readonly Room[]): Promise<Choice>;
  find(ref: Ref): Promise<Entry | null>;
  used(): Promise<ReadonlyMap<string, Size>>;
  release(ref: Ref): Promise<void>;
}
