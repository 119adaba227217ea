import type { Fixture } from '../../../laws/fixture.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { attachInterfaceKind } from '../interface-changes/kinds.ts';
import { addInterface } from '../interface-changes/network-membership.ts';
import { holdOwn } from '../interface-changes/private-addresses.ts';
import { makeNetwork } from '../networks/fixture.ts';
import { readNetwork } from '../networks/store.ts';
import { newMac } from './macs.ts';
import { newInterfaceId } from './resource.ts';
import { interfaceRef } from './schema.ts';
import { readInterfaces } from './store.ts';

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vms/{id}/interfaces',
  async make(world, { id: vmId = '' }) {
    const { app, account } = world;
    const { db } = app.services;
    const network = await readNetwork(db, account.id, await makeNetwork(world));
    if (network === undefined) throw new Error('The network was just created.');
    const vm = { id: vmId, account_id: account.id };
    const row = await addInterface(db, vm, await readInterfaces(db, [vmId]), network);
    await holdOwn(db, network, row, { ipv4: null, ipv6: null });
    const input = { interface_id: row.id };
    await runKind(app, attachInterfaceKind, { accountId: account.id, resource: interfaceRef(row), input });
    return row.id;
  },
  async addRow({ app, account }, name, i, vm_id) {
    await app.services.db
      .insertInto('vm_interfaces')
      .values({
        id: newInterfaceId(),
        account_id: account.id,
        vm_id,
        kind: 'public',
        network_id: null,
        mac: newMac(),
        position: i,
        mtu: 1500,
        description: name,
        status: 'active',
      })
      .execute();
  },
  bodies: {
    attachVmInterface: async (world) => ({ network_id: await makeNetwork(world) }),
  },
};
