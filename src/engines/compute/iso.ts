/** ISOs, and the drive that each machine has for one of them. */
import type { Ref } from '../engine.ts';

export interface Iso extends Ref {
  readonly sizeBytes: number;
}

/** The ISO in the drive of a machine. */
export interface Drive {
  /** The id of an ISO of the same account, or the slug of one of the provider's. */
  readonly iso: string;
  /** Whether the next start boots the ISO. Every start sets it to false. */
  readonly bootOnce: boolean;
}
