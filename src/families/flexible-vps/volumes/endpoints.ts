import { changesBetween } from '../../../kernel/audit/changes.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Type } from '../../../kernel/schema.ts';
import { listOf, readOf, writeOf } from '../../../resources/records/records.ts';
import { LocationRef, VmRef } from '../references.ts';
import { volumeLife } from './lifecycle.ts';
import { volumeView } from './present.ts';
import { volumes } from './resource.ts';
import { VolumeChange } from './schema.ts';
import type { VolumeRow } from './table.ts';

const listVpsVolumes = listOf(volumeView, {
  id: 'listVpsVolumes',
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only volumes of this location.' }),
    status: Type.Optional({ ...volumeLife.Status, description: 'Only volumes in this state.' }),
    vm_id: Type.Optional({ ...VmRef, description: 'Only volumes that this machine has.' }),
  }),
});

const getVpsVolume = readOf(volumeView, { id: 'getVpsVolume' });

const shownOf = ({ name, labels, description, protected: isProtected }: VolumeRow) => ({
  name,
  labels,
  description,
  protection: { delete: isProtected },
});

const updateVpsVolume = writeOf(volumeView, 'update', {
  id: 'updateVpsVolume',
  description: 'Size and machine are changed with the actions `resize`, `attach` and `detach`.',
  body: VolumeChange,
  problems: ['name_taken', 'invalid_state', 'operation_in_progress'],
  example: {
    body: { description: 'The data of the shop', protection: { delete: true } },
    answer: { description: 'The data of the shop', protection: { delete: true } },
  },
  async handle(call) {
    const { db, params, body } = call;
    if (body.name !== undefined) await volumes.lockNames(call);
    const before = await volumes.take(call, params.id);
    const operation = (await pendingOn(db, [before.id])).get(before.id);
    volumeLife.require('updateVpsVolume', before.status, { operation });
    const change = {
      name: body.name ?? before.name,
      labels: mergeLabels(before.labels, body.labels),
      description: body.description ?? before.description,
      protected: body.protection?.delete ?? before.protected,
    };
    const changes = changesBetween(shownOf(before), shownOf({ ...before, ...change }));
    const row = await volumes.update(call, before, change, changes);
    return { row, ...(operation && { operation }) };
  },
});

export const volumeEndpoints = [listVpsVolumes, getVpsVolume, updateVpsVolume];
