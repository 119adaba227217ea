import { describe, expect, it } from 'vitest';
import { demoProvider } from '../configuration.ts';
import { enginePorts } from '../engine-ports.ts';
import * as reload from './reload.ts';
import type { ProviderConfig } from './schema.ts';

const before = demoProvider();
const fingerprintsOf = (config: ProviderConfig) => reload.fingerprintsOf(config, enginePorts);
const reloadOf = (old: ProviderConfig, next: ProviderConfig, atStart: reload.Fingerprints) =>
  reload.reloadOf(old, next, atStart, enginePorts);
const none = fingerprintsOf(before);

type Catalogue = ProviderConfig['catalogue'];
const withCatalogue = (change: Partial<Catalogue>): ProviderConfig => ({
  ...before,
  catalogue: { ...before.catalogue, ...change },
});

describe('a reload', () => {
  it('changes nothing if the file is the same', () => {
    expect(reloadOf(before, demoProvider(), none)).toEqual({ config: before, changed: [], needRestart: [] });
  });

  it('applies prices, limits, pools, texts, proxies and the log level', () => {
    const after: ProviderConfig = {
      ...withCatalogue({ prices: before.catalogue.prices.slice(1), limits: [], address_pools: [] }),
      provider: { ...before.provider, name: 'Other' },
      server: { ...before.server, log_level: 'debug', trusted_proxies: ['10.0.0.0/8'] },
      egress: { ...before.egress, deny: ['192.0.2.0/24'] },
    };
    const { config, changed, needRestart } = reloadOf(before, after, none);
    expect(config).toEqual(after);
    expect(needRestart).toEqual([]);
    expect([...changed].sort()).toEqual([
      'catalogue.address_pools',
      'catalogue.limits',
      'catalogue.prices',
      'egress.deny',
      'provider.name',
      'server.log_level',
      'server.trusted_proxies',
    ]);
  });

  it('keeps settings that are read only at start, applies the rest, and names both', () => {
    const after: ProviderConfig = {
      ...before,
      server: {
        ...before.server,
        port: 9,
        log_level: 'warn',
        tls: { certificate: '/a', key: '/b' },
        rate_limit: { ipv6_prefix: 56, store: 'memory' },
      },
      database: { ...before.database, url: 'postgres://secret@db' },
    };
    const { config, changed, needRestart } = reloadOf(before, after, none);
    expect(config).toEqual({
      ...before,
      server: { ...before.server, log_level: 'warn', rate_limit: { ipv6_prefix: 56, store: 'auto' } },
    });
    expect(changed).toEqual(['server.rate_limit', 'server.log_level']);
    expect(needRestart).toEqual(['server.port', 'server.rate_limit.store', 'database.url', 'server.tls']);
  });

  it('applies a database URL from the same file, which every connection reads again, but not from another file', () => {
    const withUrl = (url: string, url_file: string): ProviderConfig => ({
      ...before,
      database: { ...before.database, url, url_file },
    });
    const old = withUrl('postgres://db/one', '/etc/url');
    const rotated = reloadOf(old, withUrl('postgres://db/two', '/etc/url'), none);
    expect([rotated.changed, rotated.needRestart]).toEqual([['database.url'], []]);
    const moved = reloadOf(old, withUrl('postgres://db/two', '/etc/other'), none);
    expect([moved.config, moved.changed]).toEqual([old, []]);
    expect(moved.needRestart).toEqual(['database.url', 'database.url_file']);
  });

  it('keeps the whole catalogue if locations need other engines', () => {
    const [first, second, ...others] = before.catalogue.locations;
    const compute = { ...first!.compute!, pace: 7 };
    const after = withCatalogue({
      version: 'next',
      locations: [{ ...first!, compute }, { ...second!, name: 'Renamed', compute: null }, ...others],
    });
    const { config, changed, needRestart } = reloadOf(before, after, none);
    expect([config, changed]).toEqual([before, []]);
    expect(needRestart).toEqual([
      `catalogue.locations.${first!.slug}.compute`,
      `catalogue.locations.${second!.slug}.compute`,
    ]);
  });

  it('applies the names of locations', () => {
    const locations = before.catalogue.locations.map((location) => ({ ...location, name: 'Renamed' }));
    const { config, changed, needRestart } = reloadOf(before, withCatalogue({ locations }), none);
    expect([config.catalogue.locations, changed, needRestart]).toEqual([
      locations,
      ['catalogue.locations'],
      [],
    ]);
  });

  it('names certificates of engines whose content has changed', () => {
    const [first, ...others] = before.catalogue.locations;
    const compute = { ...first!.compute!, client_key: import.meta.filename };
    const same = withCatalogue({ locations: [{ ...first!, compute }, ...others] });
    expect(reloadOf(same, same, fingerprintsOf(same)).needRestart).toEqual([]);
    const path = `catalogue.locations.${first!.slug}.compute.client_key`;
    expect(reloadOf(same, same, new Map([[path, 'another']])).needRestart).toEqual([path]);
  });
});
