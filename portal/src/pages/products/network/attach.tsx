import { useState } from 'react';
import type { Network } from '../../../../../src/families/flexible-vps/networks/schema.ts';
import type { Noun, NounCall } from '../../../data/nouns.ts';
import { Picker } from '../../../form/picker.tsx';
import { ActDialog } from '../../../resource/act-dialog.tsx';
import { useNamed } from '../../../resource/references.ts';
import { Button } from '../../../ui/button.tsx';
import { Cancel, Dialog } from '../../../ui/dialog.tsx';

interface Props {
  readonly network: Network;
  /** Of interfaces: a machine joins with one. */
  readonly noun: Noun;
  readonly call: NounCall;
  readonly close: () => void;
}

/** First the machine, because the call is about it, then the form of its interface. */
export function Attach({ network, noun, call, close }: Props) {
  const [vm, setVm] = useState('');
  const [isChosen, setChosen] = useState(false);
  const name = useNamed(vm)?.name ?? 'the machine';
  if (isChosen)
    return (
      <ActDialog
        act={{ label: 'Attach', call, fixed: { network_id: network.id }, isDanger: false, why: undefined }}
        noun={noun}
        path={{ id: vm }}
        name={`${name} to ${network.name}`}
        close={close}
      />
    );
  return (
    <Dialog
      title={`Attach a machine to ${network.name}`}
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
        hint="Machines in the location of the network."
        fault={undefined}
        optional={false}
        reference={{
          list: 'listVms',
          value: 'id',
          label: 'name',
          filters: { location: { equals: network.location } },
        }}
        value={vm === '' ? undefined : vm}
        change={(next) => setVm(typeof next === 'string' ? next : '')}
      />
    </Dialog>
  );
}
