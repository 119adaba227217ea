import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../data/http.ts';
import { acts } from '../../data/session.ts';
import type { Account, KeyOptions } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Cancel, Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { approvalWords } from './words.ts';

const YEAR = 'year';
const NEVER = 'never';
const DAYS = [1, 7, 30, 90, 180];

const shown = ({ policy }: KeyOptions): string =>
  policy.non_expiring_allowed ? NEVER : String(policy.max_lifetime_days ?? YEAR);

/** What new keys of the account may have. Existing keys keep what they have. */
export function KeyPolicy({
  account,
  options,
  close,
}: {
  account: Account;
  options: KeyOptions;
  close: () => void;
}) {
  const client = useQueryClient();
  const { policy } = options;
  const [longest, setLongest] = useState(shown(options));
  const [approval, setApproval] = useState(policy.default_approval);
  const days = [
    ...new Set([...DAYS, ...(policy.max_lifetime_days === null ? [] : [policy.max_lifetime_days])]),
  ];
  const { busy, error, run } = useAct(async () => {
    await send(`${acts(account)}/key-policy`, {
      method: 'PUT',
      body: {
        max_lifetime_days: longest === YEAR || longest === NEVER ? null : Number(longest),
        non_expiring_allowed: longest === NEVER,
        default_approval: approval,
      },
    });
    await client.invalidateQueries({ queryKey: [account.id, 'key-options'] });
    close();
    toast('The policy holds for all keys that are created from now on.');
  });
  const { fault, rest } = useFaults(error, {
    max_lifetime_days: longest,
    non_expiring_allowed: longest,
    default_approval: approval,
  });
  const why = account.role === 'owner' ? undefined : 'Only owners may change the policy.';
  return (
    <Dialog
      title="Key policy"
      intro={`For keys of ${account.name} that are created from now on.`}
      close={close}
      onSubmit={() => why === undefined && void run()}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit" busy={busy} why={why}>
            Save
          </Button>
        </>
      }
    >
      <ProblemNotice error={rest} />
      <SelectField
        label="Longest lifetime"
        hint="Existing keys keep their expiry."
        value={longest}
        disabled={why !== undefined}
        fault={fault('max_lifetime_days') ?? fault('non_expiring_allowed')}
        onChange={(event) => setLongest(event.target.value)}
      >
        {days
          .toSorted((a, b) => a - b)
          .map((each) => (
            <option key={each} value={each}>
              {count(each, 'day')}
            </option>
          ))}
        <option value={YEAR}>1 year</option>
        <option value={NEVER}>No limit: keys may never expire</option>
      </SelectField>
      <SelectField
        label="Usual approval mode"
        hint={approvalWords[approval]?.[1]}
        value={approval}
        disabled={why !== undefined}
        fault={fault('default_approval')}
        onChange={(event) => setApproval(event.target.value as typeof approval)}
      >
        {options.approval_modes.map((mode) => (
          <option key={mode} value={mode}>
            {approvalWords[mode]?.[0] ?? mode}
          </option>
        ))}
      </SelectField>
    </Dialog>
  );
}
