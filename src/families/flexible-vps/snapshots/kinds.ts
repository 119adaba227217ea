import { kind } from '../../../kernel/operations/kind.ts';
import { OneOf, Shape, Type } from '../../../kernel/schema.ts';
import { statusBefore } from '../../../resources/records/deletion.ts';
import { CreateInput, creation, deletion } from './removal.ts';
import type { SnapshotRow } from './table.ts';

export const createSnapshotKind = kind<typeof CreateInput>({
  ...creation,
  input: CreateInput,
  typicalSeconds: 10,
});

const DeleteInput = Shape({ vm_id: Type.String(), was: OneOf(['available', 'failed']) });

export const deleteSnapshotKind = kind<typeof DeleteInput>({ ...deletion, input: DeleteInput });

export const snapshotDeletion = {
  kind: deleteSnapshotKind,
  input: (row: SnapshotRow) => ({ vm_id: row.vm_id, ...statusBefore(row) }),
  subjects: ({ vm_id, id }: SnapshotRow) => [vm_id, id],
};
