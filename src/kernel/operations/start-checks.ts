/** Mistakes of the code that starts an operation. They fail its call, and not a worker later. */
import type { Registry } from '../registry.ts';
import { faultsOf, isValid } from '../validation.ts';
import type { Kind } from './kind.ts';

/** Workers know only the kind of the registry, so a deadline on a copy of the kind would hold for half of the work. */
export function requireDeadlineOfKind(registry: Registry, { type, deadlineSeconds }: Kind): void {
  const known = registry.kinds.get(type);
  if (known !== undefined && known.deadlineSeconds !== deadlineSeconds)
    throw new Error(`${type} is started with a changed kind; give \`deadlineSeconds\` to \`start\` instead.`);
}

/** Refused here, the call fails; refused by a worker, the operation would fail after the caller got its answer. */
export function requireInput({ type, input: schema }: Kind, input: unknown): void {
  if (isValid(schema, input)) return;
  const faults = faultsOf(schema, input).map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`);
  throw new Error(`The input of ${type} does not match its schema: ${faults.join(' ')}`);
}
