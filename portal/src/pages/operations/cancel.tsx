import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { calls } from '../../data/session.ts';
import type { Account, Operation } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useTitle } from './title.ts';

export function CancelOperation({
  account,
  operation,
  close,
}: {
  account: Account;
  operation: Operation;
  close: () => void;
}) {
  const client = useQueryClient();
  const title = useTitle(operation);
  const [reason, setReason] = useState('');
  const { busy, error, run } = useAct(async () => {
    await post(
      `${calls(account)}/account/v1/operations/${operation.id}/cancel`,
      reason.trim() === '' ? {} : { reason: reason.trim() },
    );
    await client.invalidateQueries({ queryKey: [account.id, 'operations'] });
    close();
    toast(`${title}: being cancelled.`);
  });
  return (
    <Dialog
      title={`Cancel: ${title}`}
      close={close}
      onSubmit={() => void run()}
      foot={
        <>
          <Button onClick={close}>Let it go on</Button>
          <Button kind="danger" type="submit" busy={busy}>
            Cancel the operation
          </Button>
        </>
      }
    >
      <ProblemNotice error={error} />
      <p className="text-muted">It stops, and what it has created so far is removed again.</p>
      <TextField
        label="Reason"
        optional
        hint="Kept in the audit log."
        maxLength={200}
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </Dialog>
  );
}
