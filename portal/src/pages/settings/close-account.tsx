import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newestResourcesQuery, usageQuery } from '../../data/account-queries.ts';
import type { AccountProfile } from '../../data/account-types.ts';
import { Problem, post } from '../../data/http.ts';
import { money } from '../../data/money.ts';
import { acts } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice, ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

/** Says what ends, what goes on and what it costs, before the name is typed. */
export function CloseAccount({
  account,
  profile,
  close,
}: {
  account: Account;
  profile: AccountProfile;
  close: () => void;
}) {
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const resources = useQuery(newestResourcesQuery(account)).data;
  const usage = useQuery(usageQuery(account, { group_by: 'family' })).data;
  const { busy, error, run } = useAct(async () => {
    await post(`${acts(account)}/close`, { name: typed });
    await Promise.all([
      client.invalidateQueries({ queryKey: [account.id] }),
      client.invalidateQueries({ queryKey: ['me'] }),
    ]);
    close();
    toast('The account is being closed.');
  });
  const has = (resources?.data.length ?? 0) > 0;
  return (
    <Confirm
      title={`Close ${profile.name}`}
      act={{ label: 'Close the account', run: () => void run() }}
      busy={busy}
      danger
      ready={typed.trim() === profile.name}
      close={close}
    >
      {!(error instanceof Problem && error.fault('name')) && <ProblemNotice error={error} />}
      {has && (
        <Notice tone="warn">
          Machines and everything else run on, and cost, until you delete them
          {usage && Number(usage.accrued.total) > 0
            ? `. This month they have cost ${money(usage.accrued.total, usage.currency)} so far.`
            : '.'}
        </Notice>
      )}
      <ul className="grid list-disc gap-1.5 pl-5 text-muted">
        <li>At once: nothing new can be made or changed, by keys and by people. Webhooks get nothing.</li>
        <li>You can still read everything, download it, and delete it.</li>
        <li>When the provider closes it for good, all keys stop, and what is left is lost with it.</li>
        <li>You cannot take this back yourself. Until it is closed, the provider can.</li>
      </ul>
      <TextField
        label={`Type ${profile.name} to confirm`}
        autoComplete="off"
        value={typed}
        fault={error instanceof Problem ? error.fault('name') : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Confirm>
  );
}
