import { findFault, hasKey } from '../../../kernel/secrets/key.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { hasEmbeddedDatabase, withDatabase } from '../database.ts';
import { type Finding, failed, ok, reasonOf, skipped } from './check.ts';

/** Checks whether the secrets in the database are sealed with the configured key. The check creates no key. */
export async function checkSecretKey(config: Pick<ProviderConfig, 'database' | 'secrets'>): Promise<Finding> {
  const name = 'Secret key';
  const { database, secrets } = config;
  if (database.url === null && !(await hasEmbeddedDatabase(database.folder)))
    return skipped(name, 'created at the first start');
  try {
    const fault = await withDatabase(config, (db) => findFault(db, secrets));
    if (fault === null && !(await hasKey(secrets)))
      return ok(name, `none yet; the first start creates ${secrets.key_file}, which all processes need`);
    if (fault === null) return ok(name, 'matches the database');
    const [detail = '', ...rest] = fault.split(/(?<=\.) /);
    return failed(name, detail, rest.join(' '));
  } catch (error) {
    return skipped(name, `cannot be compared: ${reasonOf(error)}`);
  }
}
