/** The ISOs of the provider. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import type { Iso } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
beforeAll(async () => {
  app = await createTestApp();
  mine = await VpsAccount.open(app);
});
afterAll(() => app.close());

const SLUG = 'debian-13-netinst';
const list = async (query: string): Promise<string[]> =>
  (await mine.send('GET', `isos?${query}`)).json<{ data: Iso[] }>().data.map(({ id }) => id);
const logOf = async ({ id }: Pick<Vm, 'id'>): Promise<string> =>
  (app.services.compute.at('fra1') as Sandbox).readConsoleLog({ account: mine.account.id, id }, 100_000);

describe('an ISO of the provider', () => {
  it('is listed and read by its slug, with the locations whose machines can use it', async () => {
    expect(await list('kind=public&architecture=amd64')).toContain(SLUG);
    expect(await list('kind=private')).toEqual([]);
    expect(await list('location=ams1')).not.toContain('debian-13-netinst-arm64');
    const iso = (await mine.send('GET', `isos/${SLUG}`)).json<Iso>();
    expect(iso).toMatchObject({ kind: 'public', status: 'available', source_url: null, mounted_on_count: 0 });
    expect(iso.locations).toEqual(expect.arrayContaining(['fra1', 'ams1', 'hel1']));
  });

  it('409: cannot be deleted', async () => {
    const answer = await mine.send('DELETE', `isos/${SLUG}`);
    expect(answer.json()).toMatchObject({ status: 409, code: 'resource_protected' });
  });

  it('can be inserted into a drive, and mounted_on_count counts the machines of the own account only', async () => {
    const vm = await mine.vm();
    expect(await list(`for_vm=${vm.id}`)).toEqual(expect.arrayContaining([SLUG]));
    await mine.send('PUT', `vms/${vm.id}/iso`, { iso_id: SLUG, boot_once: true, restart: true });
    await settle(app);
    expect((await mine.readVm(vm.id)).iso).toEqual({ iso_id: SLUG, boot_once: false });
    expect(await logOf(vm)).toContain('Booting from the drive: Debian 13 installer');
    const countFor = async (account: VpsAccount) =>
      (await account.send('GET', `isos/${SLUG}`)).json<Iso>().mounted_on_count;
    expect(await countFor(mine)).toBe(1);
    expect(await countFor(await VpsAccount.open(app))).toBe(0);
  });

  it('can be the source of a machine with an empty disk', async () => {
    const vm = await mine.vm({ source: { type: 'iso', iso_id: SLUG } });
    expect(vm).toMatchObject({ status: 'running', image: null, source: { type: 'iso', id: SLUG } });
    expect(await logOf(vm)).toContain('Booting from the drive: Debian 13 installer');
  });

  it('422: is refused if it does not exist or has another architecture', async () => {
    const { id } = await mine.vm();
    const codeOf = async (iso_id: string) =>
      (await mine.send('PUT', `vms/${id}/iso`, { iso_id })).json<{ errors: { code: string }[] }>().errors[0]
        ?.code;
    expect(await codeOf('no-such-iso')).toBe('unknown_reference');
    expect(await codeOf('debian-13-netinst-arm64')).toBe('incompatible');
  });
});
