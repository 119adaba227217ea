import { type NounFamily, nounNamed } from '../../../data/nouns.ts';
import { useAccount } from '../../../data/session.ts';
import type { Iso } from '../../../data/storage-types.ts';
import { useAccess, whyNot } from '../../../resource/acts.ts';

/** The call that inserts and ejects, and why the ISO cannot be inserted now. */
export function useDrive(families: readonly NounFamily[], { status }: Iso) {
  const account = useAccount();
  const access = useAccess();
  const noun = nounNamed(families, 'vm');
  const call = noun?.actions.find(({ id }) => id === 'setVmIso');
  const mayNot = whyNot(access, call?.id ?? '', account);
  return { noun, call, mayNot, why: mayNot ?? (status === 'available' ? undefined : 'It is not available.') };
}
