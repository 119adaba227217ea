/** Every resource type that can be priced. */
import type { PricedType } from '../type.ts';
import { crossConnect, remoteHands } from './datacenter.ts';
import { dedicatedServer } from './dedicated.ts';
import { backup, image, iso, snapshot, volume } from './disks.ts';
import { freeTypes } from './free.ts';
import { kubernetesCluster, nodePool } from './kubernetes.ts';
import { monitor } from './monitor.ts';
import { address, vpnGateway } from './network.ts';
import { objectStorage } from './object-storage.ts';
import { vm } from './vm.ts';

export const pricedTypes: ReadonlyMap<string, PricedType> = new Map(
  Object.entries({
    vm,
    volume,
    image,
    iso,
    backup,
    snapshot,
    vpn_gateway: vpnGateway,
    kubernetes_cluster: kubernetesCluster,
    node_pool: nodePool,
    dedicated_server: dedicatedServer,
    object_storage: objectStorage,
    address,
    cross_connect: crossConnect,
    remote_hands: remoteHands,
    monitor,
    ...freeTypes,
  }),
);
