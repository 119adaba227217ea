import type { Caller } from '../access/caller.ts';
import type { Endpoint } from '../record.ts';

/**
 * Whether the key's settings require a person's approval, regardless of cost. A high cost can require it as well. A
 * person who is signed in needs nobody's.
 */
export function needsApproval({ key }: Pick<Caller, 'key'>, { access }: Pick<Endpoint, 'access'>): boolean {
  switch (key?.approval ?? 'off') {
    case 'off':
      return false;
    case 'destructive':
      return access === 'destructive';
    case 'writes':
      return access !== 'read';
  }
}
