import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../data/http.ts';
import { acts } from '../../data/session.ts';
import type { Account, ApiKey } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { NAME_TAKEN } from './words.ts';

/** The words on a key. What it may do changes only with a new secret: that is a roll. */
export function EditKey({ account, keyOf, close }: { account: Account; keyOf: ApiKey; close: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(keyOf.name);
  const [notes, setNotes] = useState(keyOf.notes);
  const { busy, error, run } = useAct(async () => {
    await send(`${acts(account)}/keys/${keyOf.id}`, { method: 'PATCH', body: { name, notes } });
    await client.invalidateQueries({ queryKey: [account.id, 'keys'] });
    close();
    toast(`The key ${name} is changed.`);
  });
  const { fault, rest } = useFaults(error, { name, notes }, NAME_TAKEN);
  return (
    <Dialog
      title="Name and notes"
      intro="Programs that use the key notice nothing."
      close={close}
      onSubmit={() => void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy}>
            Save
          </Button>
        </>
      }
    >
      <ProblemNotice error={rest} />
      <TextField
        label="Key Name"
        required
        autoFocus
        autoComplete="off"
        maxLength={64}
        value={name}
        fault={fault('name')}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Notes"
        optional
        hint="What uses it, where its secret is kept. Never the secret itself."
        autoComplete="off"
        maxLength={255}
        value={notes}
        fault={fault('notes')}
        onChange={(event) => setNotes(event.target.value)}
      />
    </Dialog>
  );
}
