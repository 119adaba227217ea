import { ARGON2_FIX, hashPassword } from '../../../portal-api/people/passwords/hashing.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { type Finding, failed, ok, skipped } from './check.ts';

/** The hash function of passwords is a native module, which is not part of the bundle. */
export async function checkPasswords({ enabled }: ProviderConfig['portal']): Promise<Finding> {
  const name = 'Passwords';
  if (!enabled) return skipped(name, 'the portal is off');
  return hashPassword('hostplane admin doctor').then(
    () => ok(name, 'can be checked'),
    () =>
      failed(
        name,
        'The module @node-rs/argon2 does not load, so nobody can sign in by password.',
        ARGON2_FIX,
      ),
  );
}
