import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf, type NounFamily, nounNamed } from '../../../data/nouns.ts';
import type { Backup } from '../../../data/storage-types.ts';
import { formatTime } from '../../../data/words.ts';
import { Picker } from '../../../form/picker.tsx';
import { ActDialog } from '../../../resource/act-dialog.tsx';
import { useNamed } from '../../../resource/references.ts';
import { Button } from '../../../ui/button.tsx';
import { Cancel, Dialog } from '../../../ui/dialog.tsx';
import { Ago } from '../../../ui/time.tsx';
import { unturned } from '../../../ui/unturned.ts';

interface Props {
  readonly backup: Backup;
  readonly families: readonly NounFamily[];
  readonly close: () => void;
}

/** To the machine that it was taken of, if that still exists, or to another one. */
export default function Restore({ backup, families, close }: Props) {
  const [vm, setVm] = useState(backup.vm_deleted ? '' : backup.vm_id);
  const [isChosen, setChosen] = useState(!backup.vm_deleted);
  const named = useNamed(vm === '' ? null : vm);
  const navigate = useNavigate();
  const noun = nounNamed(families, 'vm');
  const call = noun?.actions.find(({ id }) => id === 'restoreVm');
  if (noun === undefined || call === undefined) return null;
  const source = { type: 'backup', backup_id: backup.id };
  if (isChosen)
    return named === undefined ? null : (
      <ActDialog
        key={vm}
        act={{ label: 'Restore', call, fixed: { source }, isDanger: true, why: undefined }}
        noun={noun}
        path={{ id: vm }}
        name={named?.name ?? backup.vm_name}
        wanted={{ safety_backup: true }}
        note={
          <Meaning backup={backup} name={named?.name ?? backup.vm_name} change={() => setChosen(false)} />
        }
        close={close}
        // How it goes on is seen on the page of the machine.
        done={() => void navigate({ to: addressOf(noun, families, vm) })}
      />
    );
  return (
    <Dialog
      title={`Restore ${unturned(backup.name)}`}
      close={close}
      onSubmit={() => vm !== '' && setChosen(true)}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" why={vm === '' ? 'Choose a machine first.' : undefined}>
            Continue
          </Button>
        </>
      }
    >
      {backup.vm_deleted && <p>The machine that it was taken of, {unturned(backup.vm_name)}, is deleted.</p>}
      <Picker
        label="Machine"
        hint={`Its disk is overwritten. It needs at least ${backup.disk_gb} GB and an ${backup.architecture} processor.`}
        fault={undefined}
        optional={false}
        reference={{ list: 'listVms', value: 'id', label: 'name' }}
        value={vm === '' ? undefined : vm}
        change={(next) => setVm(typeof next === 'string' ? next : '')}
      />
    </Dialog>
  );
}

/** What happens to the machine, in the words of somebody who has to decide at night. */
function Meaning({ backup, name, change }: { backup: Backup; name: string; change: () => void }) {
  return (
    <div className="grid gap-3">
      <p className="wrap-anywhere">
        The disk of <strong className="font-semibold">{unturned(name)}</strong>{' '}
        {name === backup.vm_name
          ? 'goes back to what it was'
          : `becomes a copy of that of ${unturned(backup.vm_name)}, as it was`}{' '}
        <Ago time={backup.created_at} />, on {formatTime(backup.created_at)}.
      </p>
      <dl className="grid gap-x-4 gap-y-2 text-sm sm:grid-cols-[110px_minmax(0,1fr)]">
        <dt className="font-medium text-bad">Overwritten</dt>
        <dd>The whole disk: files, users, passwords and SSH keys on it are those of the backup.</dd>
        <dt className="font-medium text-good">Stays</dt>
        <dd>Name, addresses, networks, firewalls, volumes and size.</dd>
        <dt className="font-medium">Meanwhile</dt>
        <dd>The machine is shut down, and forced off after 60 seconds.</dd>
      </dl>
      <div>
        <Button small onClick={change}>
          Restore it to another machine
        </Button>
      </div>
    </div>
  );
}
