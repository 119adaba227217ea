import { describe, expect, it } from 'vitest';
import type { Backup } from '../../../portal/src/data/storage-types.ts';
import { whyNotOn, withBackup, withMachine } from '../../../portal/src/pages/products/backups/differences.ts';
import { newestOf } from '../../../portal/src/pages/products/backups/newest.ts';
import { retentionWords, scheduleWords } from '../../../portal/src/pages/products/backups/words.ts';
import { architectureFrom, followed, nameFrom } from '../../../portal/src/pages/products/imports/address.ts';
import { startOf } from '../../../portal/src/pages/products/start.ts';
import { backupView } from '../../families/flexible-vps/backups/present.ts';
import { exampleVm } from '../../families/flexible-vps/vms/schema.ts';

const backup: Backup = backupView.example;

describe('a backup policy in words', () => {
  const schedule = { every_hours: null, hour: 2, weekday: null, day_of_month: null } as const;

  it.each([
    [{ ...schedule, frequency: 'every_n_hours', every_hours: 6 }, 'Every 6 hours, beginning at 02:00 UTC'],
    [{ ...schedule, frequency: 'daily' }, 'Every day at 02:00 UTC'],
    [{ ...schedule, frequency: 'weekly', weekday: 'mon' }, 'Every Monday at 02:00 UTC'],
    [{ ...schedule, frequency: 'monthly', day_of_month: 28 }, 'On day 28 of every month at 02:00 UTC'],
  ] as const)('says when it runs: %j', (given, words) => {
    expect(scheduleWords(given)).toBe(words);
  });

  it('says how many backups it keeps, and for how long', () => {
    expect(retentionWords({ keep_last: 1, keep_days: null })).toBe('Keeps the newest one');
    expect(retentionWords({ keep_last: 7, keep_days: 1 })).toBe('Keeps the newest 7, each for 1 day at most');
  });
});

describe('a comparison of backups', () => {
  it('names what differs between a backup and its machine, and nothing else', () => {
    const changed = (vm: typeof exampleVm): readonly string[] =>
      withMachine(backup, vm)
        .filter(({ isChanged }) => isChanged)
        .map(({ title, left, right }) => `${title}: ${left}, ${right}`);
    const { vcpus, memory_mb, disk_gb, architecture, location } = backup;
    const same = { ...exampleVm, name: backup.vm_name, vcpus, memory_mb, disk_gb, architecture, location };
    expect(changed(same)).toEqual([]);
    expect(changed({ ...same, name: 'renamed', memory_mb: 8192 })).toEqual([
      'Machine: web-1, renamed',
      'Memory: 4 GB, 8 GB',
    ]);
  });

  it('names what differs between two backups', () => {
    const other = { ...backup, kind: 'scheduled' as const, size_bytes: null, sha256: null };
    const changed = withBackup(backup, other).filter(({ isChanged }) => isChanged);
    expect(changed.map(({ title, right }) => [title, right])).toEqual([
      ['Made', 'By a policy'],
      ['Size', '–'],
      ['SHA-256', '–'],
    ]);
  });

  it('says why a backup cannot be restored to a machine', () => {
    const vm = { disk_gb: backup.disk_gb, architecture: backup.architecture };
    expect(whyNotOn(backup, vm)).toBeUndefined();
    expect(whyNotOn(backup, { ...vm, disk_gb: backup.disk_gb - 1 })).toMatch(/too small/);
    expect(whyNotOn(backup, { ...vm, architecture: 'arm64' })).toMatch(/is for amd64/);
  });
});

describe('the newest backup of a machine', () => {
  const made = (status: Backup['status']) => ({ ...backup, status });

  it('is the newest that can be restored, beside one that is being made or has failed since', () => {
    const [creating, failed, available] = [made('creating'), made('failed'), made('available')];
    expect(newestOf([creating, failed, available, made('available')])).toEqual({
      ready: available,
      coming: creating,
      failed,
    });
    expect(newestOf([available, failed])).toEqual({ ready: available, coming: undefined, failed: undefined });
    expect(newestOf([made('deleting')])).toEqual({ ready: undefined, coming: undefined, failed: undefined });
  });
});

describe('the address of a file', () => {
  it.each([
    ['https://a.example/images/Debian_12-generic.amd64.qcow2.xz?sig=x', 'debian-12-generic-amd64', 'amd64'],
    ['https://a.example/netinst-aarch64.iso', 'netinst-aarch64', 'arm64'],
    [`https://a.example/${'x'.repeat(62)}-y.iso`, 'x'.repeat(62), undefined],
    ['https://a.example/', '', undefined],
    ['https://a.example/%zz.iso', 'zz', undefined],
    ['a.iso', '', undefined],
  ])('gives a name and a processor: %s', (address, name, architecture) => {
    expect([nameFrom(address), architectureFrom(address)]).toEqual([name, architecture]);
  });

  it('changes what came from the address before, and nothing that a person has typed', () => {
    expect(followed(undefined, '', 'new')).toBe('new');
    expect(followed('old', 'old', 'new')).toBe('new');
    expect(followed('typed', 'old', 'new')).toBe('typed');
    expect(followed('old', 'old', '')).toBe('old');
  });
});

describe('a link to a form', () => {
  it('fills in ids, slugs and names', () => {
    const search = { location: 'fra1', 'source.type': 'backup', 'source.backup_id': backup.id };
    expect(startOf(search)).toEqual({
      location: 'fra1',
      source: { type: 'backup', backup_id: backup.id },
    });
  });

  it('fills in nothing that could run on a machine or open it', () => {
    const search = { user_data: '#!/bin/sh', 'source.url': 'https://example.com/disk', __proto__x: 'a b' };
    expect(startOf(search)).toEqual({});
    expect(startOf({ 'constructor.prototype': 'x', 'a.b.c': 'x', __proto__: 'x' })).toEqual({
      constructor: { prototype: 'x' },
    });
  });
});
