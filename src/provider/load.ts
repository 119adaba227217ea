/**
 * Loads the configuration: takes the provider's own file and the default for what it leaves out (`merge.ts`), applies
 * the environment, runs all checks, and reports all faults at once. Only invalid YAML stops the load early, because line
 * numbers after it are unreliable.
 */
import { dirname, join, resolve } from 'node:path';
import { examine } from '../kernel/validation.ts';
import { checkCertificate, readAuthorities } from './certificate.ts';
import { checkCoverage } from './checks/coverage.ts';
import { checkEgress } from './checks/egress.ts';
import { checkLimits } from './checks/limits.ts';
import { checkMail } from './checks/mail.ts';
import { checkPools } from './checks/pools.ts';
import { checkPortal } from './checks/portal.ts';
import { checkPorts, withAbsoluteFiles } from './checks/ports.ts';
import { checkPrices } from './checks/prices.ts';
import { checkArchitectures, checkReferences, checkUnique } from './checks/references.ts';
import { checkServer } from './checks/server.ts';
import { DEFAULT_FILE } from './default.ts';
import { Draft, fillDefaults } from './draft.ts';
import { applyEnvironment, type Environment } from './environment.ts';
import { type Fault, orderFaults, type Report } from './fault.ts';
import { mergeSources } from './merge.ts';
import { isOnSale, type ProviderParts } from './parts.ts';
import { type ProviderConfig, providerFileWith, type SmtpConfig } from './schema.ts';
import { databaseUrl, readPassword, readSecretKey, readUrl, redisUrl, urlFileOf } from './secrets.ts';
import { explainShape } from './shape.ts';
import { readSource, readSourceFile, type Source } from './source.ts';

export interface LoadOptions {
  /** Path of the provider's own file. Without it, the default is the whole configuration. */
  readonly file?: string;
  readonly env: Environment;
  readonly defaultText: string;
  readonly now?: Date;
  readonly parts: ProviderParts;
}

export type Loaded =
  /** `isDemo`: nothing in the own file says what is sold, so that is the catalogue of the demo provider. */
  | { readonly ok: true; readonly config: ProviderConfig; readonly isDemo: boolean }
  | { readonly ok: false; readonly faults: readonly Fault[] };

export function loadProvider({ file, env, defaultText, now = new Date(), parts }: LoadOptions): Loaded {
  const defaults = readDefault(defaultText);
  const own = file === undefined ? null : readSourceFile(file);
  const unreadable = [defaults, own].filter((source) => source !== null && !source.readable);
  if (unreadable.length > 0) return refuse(unreadable.flatMap((source) => source?.faults ?? []));

  const merged = mergeSources(defaults, own);
  const applied = applyEnvironment(merged.value, env);
  const faults: Fault[] = [...merged.faults];
  const report: Report = (path, message, fix, origin) => {
    const variable = origin ?? applied.variableOf(path);
    const place = variable === null ? merged.place(path) : { file: variable, line: 0, column: 0 };
    faults.push({ path, ...place, message, fix: `${fix}${variable === null ? merged.hint(path) : ''}` });
  };

  const schema = providerFileWith(parts.ports);
  const value = fillDefaults(schema, applied.value);
  const { errors, isCutShort } = examine(schema, value);
  const refused = merged.faults.map(({ path }) => path);
  explainShape(schema, errors, value, refused, report);
  // The validator stopped at its error limit, so the rest of the file may have any shape and cannot be checked.
  if (isCutShort) return refuse(faults);
  const draft = new Draft(value, [...refused, ...errors.map(({ pointer }) => pointer)]);
  const folder = (section: string): string =>
    file !== undefined && merged.isOwn(`/${section}`) ? dirname(resolve(file)) : process.cwd();
  checkMeaning(draft, report, now, parts);
  checkPorts(draft, folder(LOCATIONS), report, parts.ports);
  checkPortal(draft, folder('portal'), report);
  const database = hasSoundUrl(draft, 'database')
    ? readUrl(databaseUrl, draft.file.database, env, folder('database'), report)
    : null;
  const redis = hasSoundUrl(draft, 'redis')
    ? readUrl(redisUrl, draft.file.redis, env, folder('redis'), report)
    : null;
  checkStore(draft, redis, report);
  const tls = draft.isSound('/server/tls') ? absoluteTls(draft, folder('server')) : null;
  if (tls) checkCertificate(tls, report);
  const key = readSecretKey(env, report);
  const ca = draft.isSound('/egress/ca_file')
    ? readAuthorities(draft.file.egress, folder('egress'), report)
    : null;
  const password = draft.isSound('/mail') ? readPassword(draft.file.mail.smtp, folder('mail'), report) : null;
  if (faults.length > 0) return refuse(faults);

  const { provider, server, catalogue, database: data, secrets, egress, imports, mail, portal } = draft.file;
  const dataBase = applied.variableOf('/database/folder') === null ? folder('database') : process.cwd();
  const dataFolder = resolve(dataBase, data.folder);
  const locations = catalogue.locations.map((location) =>
    withAbsoluteFiles(location, folder(LOCATIONS), parts.ports),
  );
  return {
    ok: true,
    isDemo: !merged.isOwn('/catalogue'),
    config: {
      provider,
      server: { ...server, tls, base_url: server.base_url?.replace(/\/+$/, '') ?? null },
      database: {
        url: database,
        url_file: urlFileOf(databaseUrl, data, env, folder('database')),
        folder: dataFolder,
        pool_size: data.pool_size,
      },
      redis: { url: redis },
      secrets: {
        key,
        key_file:
          secrets.key_file === null
            ? join(dataFolder, 'secret.key')
            : resolve(folder('secrets'), secrets.key_file),
      },
      egress: { allow: egress.allow, deny: egress.deny, addresses: egress.addresses, ca },
      imports: {
        ...imports,
        folder: imports.folder === null ? null : resolve(folder('imports'), imports.folder),
      },
      mail: {
        from: mail.from ?? `no-reply@${provider.domain}`,
        smtp: mail.smtp && withPassword(mail.smtp, password),
      },
      portal: { ...portal, logo: portal.logo === null ? null : resolve(folder('portal'), portal.logo) },
      catalogue: { ...catalogue, locations },
    },
  };
}

const LOCATIONS = 'catalogue/locations';

function withPassword(
  { host, port, tls, user }: Omit<SmtpConfig, 'password'>,
  password: string | null,
): SmtpConfig {
  return { host, port, tls, user, password };
}

let known: { readonly text: string; readonly source: Source } | undefined;

/** Caches the parsed default file: parsing it takes most of the load time, and a reload gets the same text. */
function readDefault(text: string): Source {
  if (known?.text !== text) known = { text, source: readSource(DEFAULT_FILE, text) };
  return known.source;
}

function refuse(faults: readonly Fault[]): Loaded {
  return { ok: false, faults: orderFaults(faults) };
}

function checkMeaning(draft: Draft, report: Report, now: Date, parts: ProviderParts): void {
  for (const check of [
    checkServer,
    checkEgress,
    checkMail,
    checkUnique,
    checkReferences,
    checkArchitectures,
    checkPools,
    checkPrices,
    checkLimits,
  ]) {
    check(draft, report);
  }
  checkCoverage(draft, report, now, parts);
  for (const family of parts.families)
    if (isOnSale(draft, parts, family.name)) family.checkCatalogue?.(draft, report, now);
}

/** Checks only the URL members, so that a fault in another member, such as `pool_size`, does not hide a URL fault. */
const hasSoundUrl = (draft: Draft, section: 'database' | 'redis'): boolean =>
  ['url', 'url_env', 'url_file'].every((member) => draft.isSound(`/${section}/${member}`));

function checkStore(draft: Draft, redis: string | null, report: Report): void {
  const path = '/server/rate_limit/store';
  if (!draft.isSound(path) || !hasSoundUrl(draft, 'redis') || redis !== null) return;
  if (draft.file.server.rate_limit.store !== 'redis') return;
  report(
    path,
    'The rate limiter is set to use Redis, but no Redis is configured.',
    'Set redis.url_env, or set store to auto.',
  );
}

function absoluteTls(draft: Draft, folder: string): { certificate: string; key: string } | null {
  const { tls } = draft.file.server;
  return tls && { certificate: resolve(folder, tls.certificate), key: resolve(folder, tls.key) };
}
