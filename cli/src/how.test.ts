import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveMcp } from '../../src/surfaces/mcp/routes.ts';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({}, (server, { services }) => serveMcp(server, services));
});
afterAll(() => site.close());

it.each([
  ['how restart a machine', 'hostplane vm restart <vm>'],
  ['how do I take a snapshot of a machine', 'hostplane snapshot create <vm>'],
  ['how attach a volume', 'hostplane volume attach <volume> [vm]'],
  ['how --output json delete a network', 'hostplane network delete <network>'],
])('%s: %s', async (line, expected) => {
  const { code, out, err } = await site.line(line);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(expected);
  expect(out.trim().split('\n').length).toBeLessThan(60);
});

it.each([
  ['make a disk bigger', 'hostplane volume resize <volume> [size]'],
  ['power off', 'hostplane vm power-off <vm>'],
  ['do i open a port', 'hostplane firewall add-rule <firewall>'],
  ['shut a machine down', 'hostplane vm shutdown <vm>'],
  ['attach a disk to a machine', 'hostplane volume attach <volume> [vm]'],
  ['AMI', 'hostplane image create'],
  ['stop all machines at night', 'hostplane vm perform-bulk-action --type shutdown'],
])('the command that somebody means by "%s" comes first: %s', async (words, expected) => {
  const { out } = await site.line(`how ${words}`);
  expect(out.split('\n')[0]?.split('  ')[0]).toBe(expected);
});

it('names commands, not operations, to people', async () => {
  const { out } = await site.line('how create a machine');
  expect(out).toMatch(/^hostplane vm create +Create a machine$/m);
  expect(out).not.toContain('createVm');
});

it('says that something is not there, and shows the nearest topics', async () => {
  const { code, out, err } = await site.line('how set up a load balancer');
  expect([code, err]).toEqual([0, 'Nothing here is about load balancers. The nearest topics:\n']);
  expect(out.split('\n')[0]).toMatch(/^hostplane vm list /);
});

it('says which part of a question it has no answer to', async () => {
  const { out, err } = await site.line('how create a vm with a gpu');
  expect(err).toMatch(/^Nothing here is about GPUs\. /);
  expect(out.split('\n')[0]).toMatch(/^hostplane vm create /);
});

it('says that nobody knows the words, and shows the nearest topics', async () => {
  const { out, err } = await site.line('how qwertz zzzyx');
  expect(err).toBe('Nothing here is about “qwertz zzzyx”. The nearest topics:\n');
  expect(out).toContain('hostplane ');
});

it('-o name prints the commands alone', async () => {
  const { out } = await site.line('how -o name make a disk bigger');
  expect(out).toMatch(/^(hostplane [^\n]+\n)+$/);
  expect(out.split('\n')[0]).toBe('hostplane volume resize <volume> [size]');
});

it('2: without words, says what to write', async () => {
  const { code, err } = await site.line('how');
  expect([code, err]).toEqual([2, expect.stringContaining('hostplane how ')]);
});
