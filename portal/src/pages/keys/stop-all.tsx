import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { ADMINS_ONLY, acts, isAdmin } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

/** The emergency stop of the account. */
export function StopAll({ account, suspended }: { account: Account; suspended: boolean }) {
  const [open, setOpen] = useState(false);
  const client = useQueryClient();
  const { busy, error, run } = useAct(async () => {
    await post(`${acts(account)}/keys/suspend-all`, { suspended: !suspended });
    await client.invalidateQueries({ queryKey: [account.id] });
    setOpen(false);
    toast(suspended ? 'All keys work again.' : 'All keys are suspended.');
  });
  return (
    <>
      <Button
        kind="quiet"
        small
        why={isAdmin(account) ? undefined : ADMINS_ONLY}
        onClick={() => setOpen(true)}
      >
        {suspended ? 'Resume all keys' : 'Suspend all keys'}
      </Button>
      {open && (
        <Confirm
          title={suspended ? 'Resume all keys' : 'Suspend all keys'}
          act={{ label: suspended ? 'Resume all' : 'Suspend all', run: () => void run() }}
          danger={!suspended}
          busy={busy}
          close={() => setOpen(false)}
        >
          <p className="text-muted">
            {suspended
              ? 'Keys that were suspended one by one stay suspended.'
              : 'Every call with a key of this account is refused until you resume them. People can still sign in.'}
          </p>
          <ProblemNotice error={error} />
        </Confirm>
      )}
    </>
  );
}
