/** What a customer is told who sends a wrong name, a wrong member or a wrong place. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldError } from '../../kernel/problems/problem.ts';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { freshPublicKey } from '../../testing/ssh-keys.ts';
import { VpsAccount } from '../../testing/vps.ts';
import { snapshots } from './snapshots/resource.ts';
import { vms } from './vms/resource.ts';

let app: TestApp;
let customer: VpsAccount;
let keyId: string;

beforeAll(async () => {
  app = await createTestApp();
  customer = await VpsAccount.open(app);
  const made = await customer.send('POST', 'ssh-keys', { name: 'laptop', public_key: freshPublicKey() });
  keyId = made.json<{ id: string }>().id;
});

afterAll(() => app.close());

const sound = {
  name: 'web-1',
  location: 'fra1',
  plan: 'flex-2-4',
  source: { type: 'image', image_id: 'ubuntu-24.04' },
};

async function errorsOf(body: object, method: 'POST' | 'PATCH' = 'POST', path = 'vms') {
  const answer = await customer.send(method, path, body);
  expect(answer.statusCode, answer.body).toBe(422);
  const { errors } = answer.json<{ errors: FieldError[] }>();
  return Object.fromEntries(errors.map(({ pointer, code, detail }) => [pointer, `${code}: ${detail}`]));
}

describe('the refusal of a machine', () => {
  it('with an unknown image shows what was sent, the nearest, the valid ones and their list', async () => {
    const source = { type: 'image', image_id: 'ubuntu-2404' };
    const { '/source/image_id': told } = await errorsOf({ ...sound, source });
    expect(told).toMatch(
      /^unknown_reference: There is no image "ubuntu-2404"\. Did you mean ubuntu-24\.04\? Valid: /,
    );
    expect(told).toMatch(
      /debian-13.* GET \/flexible-vps\/v1\/images\?status=available&location=fra1 lists the valid values\.$/,
    );
  });

  it('with the name of an SSH key instead of its id shows that id', async () => {
    const { '/ssh_key_ids/0': told } = await errorsOf({ ...sound, ssh_key_ids: ['laptop'] });
    expect(told).toBe(
      `invalid_format: Must be an id that starts with sshkey_. You sent "laptop", the name of ${keyId}: send that id. GET /flexible-vps/v1/ssh-keys lists the valid values.`,
    );
    const { '/ssh_key_ids/0': near } = await errorsOf({ ...sound, ssh_key_ids: ['laptpo'] });
    expect(near).toContain(`Did you mean ${keyId} (laptop)?`);
  });

  it('with the name of an SSH key of another account shows nothing about it', async () => {
    const other = await VpsAccount.open(app);
    await other.send('POST', 'ssh-keys', { name: 'secret-laptop', public_key: freshPublicKey() });
    const { '/ssh_key_ids/0': told } = await errorsOf({ ...sound, ssh_key_ids: ['secret-laptop'] });
    const { '/ssh_key_ids/0': unknown } = await errorsOf({ ...sound, ssh_key_ids: ['absent-laptop'] });
    expect(told?.replace('secret-laptop', 'absent-laptop')).toBe(unknown);
  });

  it('with wrong member names shows the right ones, and all missing members in the same answer', async () => {
    const told = await errorsOf({
      image: 'ubuntu-24.04',
      ssh_keys: [keyId],
      sshKeyIds: [],
      region: 'fra1',
      size: 'large',
      tags: {},
      colour: 'red',
    });
    expect(told).toMatchObject({
      '/image': 'unknown_member: "image" is not known here; did you mean source.image_id?',
      '/ssh_keys': 'unknown_member: "ssh_keys" is not known here; did you mean ssh_key_ids?',
      '/sshKeyIds': 'unknown_member: "sshKeyIds" is not known here; did you mean ssh_key_ids?',
      '/region': 'unknown_member: "region" is not known here; did you mean location?',
      '/size': 'unknown_member: "size" is not known here; did you mean plan?',
      '/tags': 'unknown_member: "tags" is not known here; did you mean labels?',
      '/colour': 'unknown_member: "colour" is not known here.',
      '/name': 'required: This is required.',
      '/location': 'required: This is required. GET /flexible-vps/v1/locations lists the valid values.',
      '/plan': expect.stringContaining('required: Give plan, or custom_size'),
      '/source':
        'required: This is required. Must be an object whose type is one of image, snapshot, vm, backup, iso.',
    });
    const source = await errorsOf({
      nmae: 'x',
      source: { type: 'snapshot' },
      public_ipv4: { mode: 'reserved' },
    });
    expect(Object.keys(source).sort()).toEqual([
      '/location',
      '/name',
      '/nmae',
      '/plan',
      '/public_ipv4/ip_id',
      '/source/snapshot_id',
    ]);
    const { '/colour': listed } = await errorsOf({ ...sound, colour: 'red' });
    expect(listed).toContain('Known: name, hostname, description, labels, location, source, plan,');
  });

  it('with an Arm plan where there are no Arm machines shows where it is sold, and which plans are sold here', async () => {
    const { '/plan': told } = await errorsOf({ ...sound, location: 'ams1', plan: 'flex-2-4a' });
    expect(told).toMatch(
      /^location_mismatch: The plan "flex-2-4a" \(arm64\) is not sold in ams1, but in fra1, hel1\./,
    );
    expect(told).toMatch(/Valid: flex-1-1, .*flex-2-4,/);
    expect(told).not.toContain('custom');
    expect(told).toMatch(
      /GET \/flexible-vps\/v1\/plans\?location=ams1&for_source=ubuntu-24\.04 lists the valid values\.$/,
    );
  });

  it('with a text instead of an object or a list says which type is needed', async () => {
    expect(await errorsOf({ ...sound, source: 'ubuntu-24.04', networks: ['backend'] })).toEqual({
      '/source': 'invalid_format: Must be an object whose type is one of image, snapshot, vm, backup, iso.',
      '/networks/0': 'invalid_format: Must be an object with members of these: network_id, ipv4, alias_ips.',
    });
    expect(await errorsOf({ ...sound, source: { image_id: 'ubuntu-24.04' } })).toEqual({
      '/source/type': 'required: This is required: one of image, snapshot, vm, backup, iso.',
    });
  });

  it('with an image for another processor shows the list of images that fit', async () => {
    expect(await errorsOf({ ...sound, plan: 'flex-2-4a' })).toEqual({
      '/source/image_id':
        'incompatible: The image is for amd64, the machine is arm64. GET /flexible-vps/v1/images?architecture=arm64 lists the images that fit.',
    });
  });

  it('with the name of a snapshot instead of its id shows that id', async () => {
    const vm = await customer.vm({ name: 'with-snapshot' });
    const { id } = await customer.do<{ id: string }>('POST', `vms/${vm.id}/snapshots`, {
      name: 'before-upgrade',
    });
    const source = { type: 'snapshot', snapshot_id: 'before-upgrade' };
    for (const path of ['vms', 'images']) {
      const { '/source/snapshot_id': told } = await errorsOf({ ...sound, source }, 'POST', path);
      expect(told).toContain(`You sent "before-upgrade", the name of ${id}: send that id.`);
    }
  });

  it('without a plan in a resize says how to change only the disk', async () => {
    const { id } = await customer.vm({ name: 'to-grow' });
    const { '/plan': told } = await errorsOf({ disk_gb: 200 }, 'POST', `vms/${id}/resize`);
    expect(told).toContain('To change only the disk, repeat the present plan.');
  });

  it('with a plan for another processor in a resize shows the list of plans that fit', async () => {
    const { id } = await customer.vm({ name: 'to-resize' });
    const { '/plan': told } = await errorsOf({ plan: 'flex-2-4a' }, 'POST', `vms/${id}/resize`);
    expect(told).toMatch(
      new RegExp(`GET /flexible-vps/v1/plans\\?resize_for=${id} shows to which plans it can change\\.$`),
    );
  });

  it('with a name that is taken shows which machine has it, and how to read it', async () => {
    const vm = await customer.send('POST', 'vms', sound);
    const { id } = vm.json<{ id: string }>();
    const again = await customer.send('POST', 'vms', sound);
    expect(again.json()).toMatchObject({ code: 'name_taken', existing_id: id });
    const detail = `The machine ${id} already has the name web-1. GET /flexible-vps/v1/vms/${id} reads it.`;
    expect(again.json<{ detail: string }>().detail).toBe(detail);
    const fixed = { status: 'stopped', vcpus: 4, ssh_key_ids: [], etag: 'x' };
    expect(await errorsOf(fixed, 'PATCH', `vms/${id}`)).toEqual({
      '/status': `immutable: This call cannot change status; POST /flexible-vps/v1/vms/${id}/actions (performVmAction) does.`,
      '/vcpus': 'immutable: To change vcpus, send custom_size.vcpus.',
      '/ssh_key_ids': `immutable: This call cannot change ssh_key_ids; POST /flexible-vps/v1/vms/${id}/redeploy (redeployVm) does, but destroys data: see its dry run first.`,
      '/etag': 'immutable: etag cannot be changed; leave it out.',
    });
  });
});

describe('404 for a path', () => {
  const missed = async (path: string, method: 'GET' | 'POST' = 'GET', body?: object) => {
    const answer = await customer.send(method, path, body);
    expect(answer.statusCode).toBe(404);
    return answer.json<{ detail: string; next_step: string }>();
  };

  it('with the name of a machine shows the id that belongs to it', async () => {
    const { id } = (await customer.send('POST', 'vms', { ...sound, name: 'path-1' })).json<{ id: string }>();
    const told = {
      detail: `There is no id "path-1"; it is the name of ${id}.`,
      next_step: `Repeat the call with ${id} in the path.`,
    };
    expect(await missed('vms/path-1')).toMatchObject(told);
    expect(await missed('vms/path-1/actions', 'POST', { type: 'shutdown' })).toMatchObject(told);
  });

  it('with an unknown id shows the calls that list the ids', async () => {
    const vm = vms.newId();
    expect(await missed(`vms/${vm}`)).toMatchObject({
      next_step: 'Check the id; GET /flexible-vps/v1/vms lists the valid ones.',
    });
    expect(await missed(`vms/${vm}/snapshots/${snapshots.newId()}`)).toMatchObject({
      next_step:
        'Check the ids; GET /flexible-vps/v1/vms and GET /flexible-vps/v1/vms/{id}/snapshots list the valid ones.',
    });
  });

  it('says nothing about the names of other accounts', async () => {
    await (await VpsAccount.open(app)).vm({ name: 'secret-1' });
    expect((await missed('vms/secret-1')).detail).not.toContain('vm_');
  });
});

describe('the refusal of a key that no longer works', () => {
  it('names the key and the reason', async () => {
    const account = await createAccount(app.services.db);
    const told = async (of: Parameters<typeof createKey>[2]) => {
      const { key, id } = await createKey(app.services.db, account, { name: 'ci', ...of });
      const answer = await app.call({ url: '/account/v1/whoami', key });
      return answer.json<{ detail: string }>().detail.replace(id, 'ID');
    };
    expect(await told({ status: 'revoked' })).toBe('The API key "ci" (ID) was revoked.');
    expect(await told({ status: 'suspended' })).toBe('The API key "ci" (ID) is suspended.');
    expect(await told({ expires_at: new Date(0) })).toBe(
      'The API key "ci" (ID) expired at 1970-01-01T00:00:00.000Z.',
    );
  });
});
