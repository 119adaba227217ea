import { Problem } from '../../kernel/problems/problem.ts';

/** Throws 409 if a resource has the name: `existingId` is its id. */
export function refuseTaken(existingId: string | undefined, detail?: string): void {
  if (existingId === undefined) return;
  throw new Problem('name_taken', {
    ...(detail === undefined ? {} : { detail }),
    extra: { existing_id: existingId },
  });
}
