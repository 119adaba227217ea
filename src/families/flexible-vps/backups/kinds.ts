import { step } from '../../../engines/engine-step.ts';
import { done, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { StatusBefore, statusBefore, takeBack } from '../../../resources/records/deletion.ts';
import {
  clearBackup,
  failBackup,
  finishBackup,
  forgetBackup,
  PACK_SECONDS,
  packDisk,
  packStep,
  storeDisk,
  storeStep,
} from './copying.ts';
import { backups } from './resource.ts';
import { readBackup } from './store.ts';

const common = { family: 'flexible-vps', resourceType: 'backup' } as const;

const CreateInput = Shape({ vm_id: Type.String(), quiesce: OneOf(['auto', 'require', 'never']) });
type CreateInput = Static<typeof CreateInput>;

async function clear(work: Work<unknown>): Promise<Outcome> {
  const row = await readBackup(work.db, work.resourceId);
  if (row !== undefined) await clearBackup(work, row);
  return done();
}

export const createBackupKind = kind<typeof CreateInput>({
  ...common,
  type: 'backup.create',
  queue: 'exclusive',
  input: CreateInput,
  typicalSeconds: 120,
  deadlineSeconds: PACK_SECONDS,
  cancellable: true,
  steps: [
    step<CreateInput>(packStep, (work) => packDisk(work, work.resourceId, work.input.quiesce)),
    step<CreateInput>(storeStep, (work) => storeDisk(work, work.resourceId), { foreign: true }),
    step<CreateInput>('finish', (work) => finishBackup(work, work.resourceId), { final: true }),
  ],
  undo: [step('clear', clear)],
  erase: (tx, id) => forgetBackup(tx, id, new Date()),
  provisions: 'vm_backups',
  async settle(tx, { status, resourceId, error }) {
    return status === 'failed' ? failBackup(tx, resourceId, error) : undefined;
  },
});

export const deleteBackupKind = kind<typeof StatusBefore>({
  ...common,
  type: 'backup.delete',
  queue: 'exclusive',
  input: StatusBefore,
  typicalSeconds: 10,
  deadlineSeconds: 3600,
  cancellable: false,
  steps: [
    step(
      'remove',
      async (work) => {
        await clear(work);
        return done({ changed: true }, (tx) => forgetBackup(tx, work.resourceId, work.now));
      },
      { foreign: true },
    ),
  ],
  settle: takeBack(backups),
});

export const backupDeletion = { kind: deleteBackupKind, input: statusBefore };
