import { changesBetween } from '../../../kernel/audit/changes.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { LocationRef, VmRef } from '../references.ts';
import { volumeLife } from './lifecycle.ts';
import { exampleVolume, volumeView } from './present.ts';
import { volumes } from './resource.ts';
import { Volume, VolumeChange, VolumeId } from './schema.ts';
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

const updateVpsVolume = endpoint({
  id: 'updateVpsVolume',
  method: 'PATCH',
  path: '/flexible-vps/v1/volumes/{id}',
  summary: 'Change a volume',
  description: 'Size and machine are changed with the actions `resize`, `attach` and `detach`.',
  permission: 'flexible-vps:volumes:write',
  access: 'write',
  resource: { name: 'volume', role: 'update' },
  params: VolumeId,
  body: VolumeChange,
  answers: { 200: Volume },
  problems: ['name_taken', 'invalid_state', 'operation_in_progress'],
  example: {
    params: { id: exampleVolume.id },
    body: { description: 'The data of the shop', protection: { delete: true } },
    answer: {
      status: 200,
      body: { ...exampleVolume, description: 'The data of the shop', protection: { delete: true } },
    },
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
    return ok(volumeView.present(call, row, operation));
  },
});

export const volumeEndpoints = [listVpsVolumes, getVpsVolume, updateVpsVolume];
