import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { acts } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { roleNames, roleWords, spoken } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';

export function Invite({ account, close }: { account: Account; close: () => void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('developer');
  const { busy, error, run } = useAct(async () => {
    await post(`${acts(account)}/invitations`, { email, role });
    await client.invalidateQueries({ queryKey: [account.id, 'members'] });
    close();
    toast(`An invitation is on its way to ${email}.`);
  });
  const { fault, rest } = useFaults(error, { email, role });
  return (
    <Dialog
      title="Invite a member"
      intro="They get a mail with a link that works for 7 days."
      close={close}
      onSubmit={() => void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy}>
            Send the invitation
          </Button>
        </>
      }
    >
      <ProblemNotice error={rest} />
      <TextField
        label="E-mail"
        type="email"
        autoComplete="off"
        required
        autoFocus
        value={email}
        fault={fault('email')}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label="Role"
        hint={roleWords[role]}
        value={role}
        fault={fault('role')}
        onChange={(event) => setRole(event.target.value)}
      >
        {roleNames
          .filter((name) => name !== 'owner' || account.role === 'owner')
          .map((name) => (
            <option key={name} value={name}>
              {spoken(name)}
            </option>
          ))}
      </SelectField>
    </Dialog>
  );
}
