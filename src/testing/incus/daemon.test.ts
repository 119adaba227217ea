import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from './daemon.ts';
import { furnish } from './furnish.ts';
import { engineKinds, whyNoIncus } from './programs.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVTdb0Ck0Z4PGJ0Zxe4pZ6KP4pFmyeYcGcXZfBhW1mM ada@example';

const machine = {
  name: 'one',
  profiles: [],
  source: { type: 'image', alias: 'busybox' },
  config: {
    'user.meta-data': `instance-id: seed-1\nlocal-hostname: web-7\npublic-keys: ["${KEY}"]\n`,
    'cloud-init.user-data': '#!/bin/sh\necho "hello from $(hostname)"\n',
    'cloud-init.vendor-data':
      '#cloud-config\nchpasswd:\n  users:\n  - name: root\n    password: $6$salt$hash\n',
  },
  devices: {
    root: { type: 'disk', path: '/', pool: 'default', size: '1GiB' },
    eth0: {
      type: 'nic',
      network: 'public',
      name: 'eth0',
      'ipv4.address': '192.0.2.20',
      'ipv6.address': '2001:db8:1::20',
    },
  },
};

for (const kind of engineKinds) {
  const reason = whyNoIncus(kind);
  describe.skipIf(reason !== null)(`${kind} for tests${reason === null ? '' : `: ${reason}`}`, () => {
    let daemon: TestDaemon;
    const statusOf = async (name: string) =>
      (await daemon.client.ask<{ status: string }>('GET', `/1.0/instances/${name}`)).status;
    const setState = (name: string, action: string) =>
      daemon.client.run('PUT', `/1.0/instances/${name}/state`, { body: { action, timeout: 30 } });
    beforeAll(async () => {
      daemon = await startDaemon(kind);
      await furnish(daemon);
    });
    afterAll(() => daemon.stop());

    it('runs a machine that does what cloud-init says and answers on its address', async () => {
      await daemon.client.run('POST', '/1.0/instances', { body: machine });
      await setState('one', 'start');
      // The engine returns each piece of console output only once, and one of the two engines reports an error when
      // there is no new output.
      let log = '';
      const readOn = async () => {
        log += await daemon.client.askText('/1.0/instances/one/console').catch(() => '');
        return log;
      };
      await expect.poll(readOn).toContain('web-7 login:');
      expect(log).toContain('Linux version');
      expect(log).toContain('SHA256:k1dp1gedOlq2O6o7egbDO+Bpc9jypxPOWHuoYRaei6A ada@example');
      expect(log).toContain('hello from web-7');
      for (const url of ['http://192.0.2.20/', 'http://[2001:db8:1::20]/'])
        await expect.poll(() => daemon.fetch(url).catch((error: Error) => error.message)).toBe('web-7\n');
      const files = '/1.0/instances/one/files';
      expect(await daemon.client.askText(files, { query: { path: '/etc/shadow' } })).toContain(
        'root:$6$salt$hash:',
      );
    });

    it('comes back to its machines after it was killed, and waits while it is paused', async () => {
      await daemon.kill();
      await expect(statusOf('one')).rejects.toThrow('does not answer');
      await daemon.start();
      expect(await statusOf('one')).toBe('Running');
      daemon.pause();
      let isAnswered = false;
      const answer = statusOf('one').finally(() => {
        isAnswered = true;
      });
      await daemon.fetch('http://192.0.2.20/');
      expect(isAnswered).toBe(false);
      daemon.resume();
      expect(await answer).toBe('Running');
      await setState('one', 'stop');
      expect(await statusOf('one')).toBe('Stopped');
    });

    it('leaves nothing behind', async () => {
      const other = await startDaemon(kind);
      await furnish(other);
      await other.client.run('POST', '/1.0/instances', { body: machine });
      await other.client.run('PUT', '/1.0/instances/one/state', { body: { action: 'start' } });
      expect(existsSync(other.namespace.path)).toBe(true);
      await other.stop();
      expect([other.namespace.path, other.folder].filter((path) => existsSync(path))).toEqual([]);
      expect(await statusOf('one')).toBe('Stopped');
    });
  });
}
