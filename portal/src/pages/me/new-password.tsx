import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { NewPasswordField } from '../../door/password-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';

export function NewPassword({ isSet, close }: { isSet: boolean; close: () => void }) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const { busy, error, run } = useAct(async () => {
    await post('/portal/v1/me/password', { new_password: password });
    await client.invalidateQueries({ queryKey: ['security'] });
    await client.invalidateQueries({ queryKey: ['me'] });
    close();
    toast('Your password is set. Your other sessions are ended.');
  });
  const { fault, rest } = useFaults(error, { new_password: password });
  return (
    <Dialog
      title={isSet ? 'Change your password' : 'Set a password'}
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
      <NewPasswordField
        label="New password"
        autoFocus
        value={password}
        fault={fault('new_password')}
        onChange={setPassword}
      />
    </Dialog>
  );
}
