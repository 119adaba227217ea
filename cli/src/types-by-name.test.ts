/** A name without its type: the lists of all types that it may have are searched. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ works: true });
  for (const line of [
    'vm create --name app --location fra1 --plan flex-2-4 --image ubuntu-24.04 --wait',
    'network create --name lan --location fra1 --ipv4-cidr 10.0.0.0/24 --wait',
    'firewall create --name door',
  ])
    expect(await site.line(line)).toMatchObject({ code: 0 });
});
afterAll(() => site.close());

it('that only one type has is taken, and the type is said', async () => {
  const { code, err, out } = await site.line('firewall attach door --target.id app --dry-run');
  expect([code, err]).toEqual([0, expect.stringContaining('"app" is a vm, so this is --target.type vm.\n')]);
  expect(out).toContain('Attaches the firewall "door" to the machine "app".');
  const network = await site.line('firewall attach door --target.id lan --dry-run');
  expect(network.out).toContain('Attaches the firewall "door" to the network "lan"');
});

it('that several types have is refused with the flags to choose between', async () => {
  await site.line('network create --name app --location fra1 --ipv4-cidr 10.1.0.0/24 --wait');
  expect(await site.line('firewall attach door --target.id app')).toMatchObject({
    code: 2,
    err: `"app" is the name of several things. Say which one you mean:
  --target.type vm --target.id app
  --target.type network --target.id app
`,
  });
});

it('that no type has is refused with the types that were searched', async () => {
  expect(await site.line('firewall attach door --target.id nothing')).toMatchObject({
    code: 5,
    err: 'There is no vm and no network "nothing". --target.type says which type you mean: vm, interface, network.\n',
  });
});

it('that is an id says its type itself', async () => {
  const { out: id } = await site.line('vm get app --query id');
  const { code, err } = await site.line(`firewall attach door --target.id ${id.trim()} --dry-run`);
  expect([code, err]).toEqual([0, expect.not.stringContaining('--target.type')]);
});
