import { Problem } from '../../kernel/problems/problem.ts';

/** Throws 409 if a resource has the name: `existingId` is its id, `path` reads a resource by its id. */
export function refuseTaken(
  existingId: string | undefined,
  name: string,
  { words, path }: { readonly words: string; readonly path?: string | undefined },
): void {
  if (existingId === undefined) return;
  const reader =
    path === undefined || path.includes('{parent_id}')
      ? ''
      : ` GET ${path.replace('{id}', existingId)} reads it.`;
  const detail = `The ${words} ${existingId} already has the name ${name}.${reader}`;
  throw new Problem('name_taken', { detail, extra: { existing_id: existingId } });
}
