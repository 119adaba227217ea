import { useState } from 'react';
import type { NounFamily } from '../../../data/nouns.ts';
import type { Iso } from '../../../data/storage-types.ts';
import { Picker } from '../../../form/picker.tsx';
import { ActDialog } from '../../../resource/act-dialog.tsx';
import { useNamed } from '../../../resource/references.ts';
import { Button } from '../../../ui/button.tsx';
import { Cancel, Dialog } from '../../../ui/dialog.tsx';
import { unturned } from '../../../ui/unturned.ts';
import { useDrive } from './drive.ts';

interface Props {
  readonly iso: Iso;
  readonly families: readonly NounFamily[];
  readonly close: () => void;
}

/** First the machine, because the call is about it, then when it boots from the disc. */
export function Insert({ iso, families, close }: Props) {
  const [vm, setVm] = useState('');
  const [isChosen, setChosen] = useState(false);
  const named = useNamed(vm === '' ? null : vm);
  const { noun, call } = useDrive(families, iso);
  const [only, ...others] = iso.locations;
  if (noun === undefined || call === undefined) return null;
  if (isChosen)
    return (
      <ActDialog
        act={{ label: 'Insert', call, fixed: { iso_id: iso.id }, isDanger: false, why: undefined }}
        noun={noun}
        path={{ id: vm }}
        name={`${unturned(iso.name)} into ${named?.name ?? 'the machine'}`}
        close={close}
      />
    );
  return (
    <Dialog
      title={`Insert ${unturned(iso.name)} into a machine`}
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
      <Picker
        label="Machine"
        hint={`An ${iso.architecture} machine in ${iso.locations.join(', ')}. What is in its drive now is ejected.`}
        fault={undefined}
        optional={false}
        reference={{
          list: 'listVms',
          value: 'id',
          label: 'name',
          ...(only !== undefined && others.length === 0 ? { filters: { location: { equals: only } } } : {}),
        }}
        value={vm === '' ? undefined : vm}
        change={(next) => setVm(typeof next === 'string' ? next : '')}
      />
    </Dialog>
  );
}
