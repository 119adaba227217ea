import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, seedDisk, shadowWith } from './cloud-init.ts';

const system = {
  distribution: 'debian',
  version: '13',
  defaultUser: 'debian',
  hasCloudInit: true,
  hasAgent: true,
};
const guest = { seed: 's', hostname: 'web-1', userData: null, sshKeys: [], passwordHash: null };
const seeded = (userData: string | null, more: object = {}) =>
  seedDisk({}, { ...guest, ...more, userData }, system);

describe('cloud-init', () => {
  it('writes files, installs packages and records what commands print', () => {
    const { disk, cloudInit } = seeded(`#cloud-config
packages: [nginx]
write_files:
  - { path: /etc/motd, content: "welcome\\n" }
  - { path: /etc/key, content: c2VjcmV0, encoding: b64 }
runcmd:
  - echo "all done"
  - [echo, in, parts]
  - rm -rf / --no-preserve-root
  - echo $(hostname)
`);
    expect(disk).toMatchObject({
      '/etc/motd': 'welcome\n',
      '/etc/key': 'secret',
      '/etc/hostname': 'web-1\n',
    });
    expect(cloudInit.printed).toEqual(['Setting up nginx ...', 'all done', 'in parts']);
  });

  it('runs shell scripts', () => {
    expect(seeded('#!/bin/sh\necho hello\nexit 0\n').cloudInit.printed).toEqual(['hello']);
  });

  it('installs SSH keys and a password', () => {
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVTdb0C ada@example';
    const { disk, cloudInit } = seeded(null, { sshKeys: [key], passwordHash: '$6$x$y' });
    expect(disk['/home/debian/.ssh/authorized_keys']).toBe(`${key}\n`);
    expect(disk['/etc/shadow']).toBe('debian:$6$x$y\n');
    expect(cloudInit.fingerprints).toEqual([fingerprintOf(key)]);
    expect(fingerprintOf(key)).toMatch(/^ssh-ed25519 SHA256:[\w+/]{43} ada@example$/);
    expect(shadowWith('root:a\ndebian:b\n', 'root', 'c')).toBe('debian:b\nroot:c\n');
  });

  it('accepts any user data without an exception', () => {
    expect(seeded('#cloud-config\n{ broken').cloudInit.printed[0]).toContain('failed to parse');
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('#cloud-config\n', '#!/bin/sh\n', ''), (text, head) => {
        expect(seeded(head + text).disk['/etc/hostname']).toBe('web-1\n');
      }),
    );
    fc.assert(
      fc.property(fc.json(), (text) => {
        seeded(`#cloud-config\nruncmd: ${text}\nwrite_files: ${text}\npackages: ${text}\n`);
      }),
    );
  });
});
