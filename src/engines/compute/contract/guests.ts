import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import { itIfCapable } from '../../contract/suite.ts';
import { CapabilityMissing, metricNames, type Ref } from '../port.ts';
import type { Use } from './lab.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVTdb0Ck0Z4PGJ0Zxe4pZ6KP4pFmyeYcGcXZfBhW1mM ada@example';
const USER_DATA = '#cloud-config\nruncmd:\n  - echo hello from user data\n';
const LOG_BYTES = 256 * 1024;

export function describeGuests(use: Use): void {
  const { lab } = use;
  const log = (ref: Ref): Promise<string> => lab().engine.readConsoleLog(ref, LOG_BYTES);
  const timesSaid = async (ref: Ref): Promise<number> =>
    (await log(ref)).split('hello from user data').length - 1;

  describe('the console log', () => {
    itIfCapable(
      use,
      'consoleLog',
      'shows the boot messages, and the output of cloud-init once per seed',
      async () => {
        const { engine } = lab();
        const guest = lab().guest({ hostname: 'web-7', userData: USER_DATA, sshKeys: [KEY] });
        const ref = await lab().stopped({ guest });
        expect(await log(ref)).toBe('');
        await engine.ensureRunning(ref);
        await expect.poll(() => log(ref)).toContain('web-7 login:');
        expect(await timesSaid(ref)).toBe(1);
        const text = await log(ref);
        expect(text).toContain('Linux version');
        expect(text).toMatch(/SHA256:[\w+/]{43}.*ada@example/);
        await engine.restart(ref, { once: lab().token() });
        await expect.poll(async () => (await log(ref)).split('login:').length).toBe(3);
        expect(await timesSaid(ref)).toBe(1);
        await engine.ensureGuest(ref, { ...guest, seed: lab().token() });
        await engine.restart(ref, { once: lab().token() });
        await expect.poll(() => timesSaid(ref)).toBe(2);
      },
    );

    itIfCapable(use, 'consoleLog', 'keeps the newest lines, and is empty after a rebuild', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      await expect.poll(() => log(ref)).toContain('login:');
      // The guest may print more output between the two reads, so the comparison is retried.
      const isTheEnd = async () => {
        const end = await engine.readConsoleLog(ref, 200);
        expect(Buffer.byteLength(end)).toBeLessThanOrEqual(200);
        return end !== '' && (await log(ref)).endsWith(end);
      };
      await expect.poll(isTheEnd).toBe(true);
      await engine.ensureStopped(ref);
      const to = { once: lab().token(), image: harness.image, guest: lab().guest() };
      await engine.ensureRebuilt(ref, to);
      expect(await log(ref)).toBe('');
    });
  });

  describe('the console', () => {
    itIfCapable(use, 'serialConsole', 'passes on what is typed and shows the output', async () => {
      const ref = await lab().running();
      const { protocol, stream } = await lab().engine.openConsole(ref, 'serial');
      expect(protocol).toBe('serial');
      let shown = '';
      stream.on('data', (chunk: Buffer) => {
        shown += chunk.toString();
      });
      const closed = new Promise((resolve) => stream.once('close', resolve));
      stream.write('hostname\n');
      // A line may pass through several terminals, and each of them adds a carriage return.
      await expect.poll(() => shown).toMatch(/^web-1\r+\n/m);
      stream.write('exit\n');
      stream.end();
      await closed;
    });

    it('is refused for a stopped machine, and for a type of console that the driver does not have', async () => {
      const { engine } = lab();
      const off = await lab().stopped();
      if (engine.capabilities.serialConsole === true)
        expect(await refusal(engine.openConsole(off, 'serial'))).toBe('invalid_state');
      if (engine.capabilities.graphicalConsole === true) return;
      const error = await engine.openConsole(off, 'graphical').catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(CapabilityMissing);
      expect(error).toMatchObject({ code: 'capability_missing', capability: 'graphicalConsole' });
    });
  });

  describe('passwords', () => {
    itIfCapable(use, 'passwordReset', 'are set through the agent of a running guest', async () => {
      const { engine, harness } = lab();
      const ref = await lab().running();
      await engine.setPassword(ref, 'root', 'correct horse');
      const first = await harness.readInside(ref, '/etc/shadow');
      expect(first).toMatch(/^root:/m);
      expect(first).not.toContain('correct horse');
      await engine.setPassword(ref, 'root', 'battery staple');
      expect((await harness.readInside(ref, '/etc/shadow'))?.match(/^root:/gm)).toHaveLength(1);
      await engine.ensureStopped(ref);
      expect(await refusal(engine.setPassword(ref, 'root', 'x'))).toBe('invalid_state');
    });
  });

  describe('series', () => {
    itIfCapable(
      use,
      'series',
      'have a value for each step, and no values from before the machine existed',
      async () => {
        const { engine } = lab();
        const ref = await lab().running();
        const started = (await lab().seen(ref)).startedAt ?? new Date();
        const from = new Date(started.getTime() - 600_000);
        const range = { from, to: new Date(started.getTime() + 60_000), stepSeconds: 60 };
        const series = await engine.readSeries(ref, metricNames, range);
        expect(new Set(series.map(({ metric }) => metric))).toEqual(new Set(metricNames));
        for (const { values } of series) {
          expect(values).toHaveLength(11);
          expect(values.slice(0, 9)).toEqual(Array(9).fill(null));
        }
        const [cpu, ...rest] = await engine.readSeries(ref, ['cpu'], range);
        expect([cpu?.metric, rest]).toEqual(['cpu', []]);
      },
    );

    itIfCapable(
      use,
      'series',
      'of network traffic are added up once for each machine, and never shrink',
      async () => {
        const ref = await lab().running();
        const to = new Date();
        const traffic = await lab().engine.readTraffic(new Date(to.getTime() - 600_000), to);
        const own = traffic.filter(({ account, id }) => account === ref.account && id === ref.id);
        expect(own.length).toBeLessThanOrEqual(1);
        expect(traffic.filter(({ inBytes, outBytes }) => !(inBytes >= 0 && outBytes >= 0))).toEqual([]);
      },
    );
  });
}
