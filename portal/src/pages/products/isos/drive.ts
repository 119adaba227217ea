import { useWhyNot } from '../../../data/access.ts';
import { type NounFamily, nounNamed } from '../../../data/nouns.ts';
import type { Iso } from '../../../data/storage-types.ts';

/** The call that inserts and ejects, and why the ISO cannot be inserted now. */
export function useDrive(families: readonly NounFamily[], { status }: Iso) {
  const whyNot = useWhyNot();
  const noun = nounNamed(families, 'vm');
  const call = noun?.actions.find(({ id }) => id === 'setVmIso');
  const mayNot = whyNot(call?.id ?? '');
  return { noun, call, mayNot, why: mayNot ?? (status === 'available' ? undefined : 'It is not available.') };
}
