/** Operations of the server: the long work that a call starts. */
import type { Reply } from '../http/client.ts';
import { isObject } from '../input/body.ts';

/** The members of an operation that this program reads. */
export interface Work {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly done: boolean;
  readonly progress_percent?: number | null;
  readonly step?: string;
  readonly expected_seconds?: number | null;
  readonly resource?: { readonly id: string | null; readonly name: string | null } | null;
  readonly error?: { readonly code: string; readonly detail?: string; readonly next_step?: string } | null;
}

export const isWork = (value: unknown): value is Work =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['done'] === 'boolean';

/** The operation that a call started or read: the answer itself, or its member `operation`. */
export function operationIn({ body }: Reply): Work | undefined {
  if (isWork(body)) return body;
  const inner = isObject(body) ? body['operation'] : undefined;
  return isWork(inner) ? inner : undefined;
}
