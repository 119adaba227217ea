import { describeContainers } from '../../../testing/incus/contract.ts';

describeContainers('lxd');
