import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { membersQuery } from '../../data/queries.ts';
import { ADMINS_ONLY, acts, isAdmin, useAccount } from '../../data/session.ts';
import type { ApiKey } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';
import { EditKey } from './edit-key.tsx';
import { endedWords, whyNotChanged, whyNotRolled } from './words.ts';

type Act = 'suspend' | 'resume' | 'revoke' | 'transfer';

const reasons: readonly (readonly [string, string])[] = [
  ['unused', 'No longer used'],
  ['rotated', 'Replaced by another key'],
  ['leaked', 'Others may know it'],
  ['other', 'Something else'],
];

const words: Readonly<Record<Act, readonly [string, string, string]>> = {
  suspend: [
    'Suspend the key',
    'Suspend',
    'Its calls are refused until somebody resumes it. Nothing is lost.',
  ],
  resume: ['Resume the key', 'Resume', 'Its calls work again.'],
  revoke: [
    'Revoke the key',
    'Revoke',
    'Its calls are refused for good, from this moment on. This cannot be undone.',
  ],
  transfer: [
    'Transfer the key',
    'Transfer',
    'Another member becomes its owner: from then on it may do at most what that member may. The secret stays the same, and whoever knows it can go on using it; the new owner can roll the key to change it.',
  ],
};

const done: Readonly<Record<Act, string>> = {
  suspend: 'is suspended',
  resume: 'works again',
  revoke: 'is revoked',
  transfer: 'has a new owner',
};

export function KeyMenu({
  keyOf,
  open,
}: {
  keyOf: ApiKey;
  /** Changes the address. */
  open: (search: Record<string, string>) => void;
}) {
  const account = useAccount();
  const [act, setAct] = useState<Act | 'edit' | null>(null);
  const { status } = keyOf;
  const why = whyNotChanged(keyOf, account);
  return (
    <>
      <Menu
        label={`Acts for ${keyOf.name}`}
        items={[
          { label: 'Details', icon: 'info', run: () => open({ key: keyOf.id }) },
          { label: 'Name and notes', icon: 'code', why, run: () => setAct('edit') },
          {
            label: 'Roll, or change permissions',
            icon: 'swap',
            why: whyNotRolled(keyOf, account),
            run: () => open({ roll: keyOf.id }),
          },
          status === 'suspended'
            ? { label: 'Resume', icon: 'play', why, run: () => setAct('resume') }
            : { label: 'Suspend', icon: 'clock', why, run: () => setAct('suspend') },
          {
            label: 'Transfer',
            icon: 'people',
            why: endedWords(keyOf) ?? (isAdmin(account) ? undefined : ADMINS_ONLY),
            run: () => setAct('transfer'),
          },
          'line',
          {
            label: 'Revoke',
            icon: 'close',
            danger: true,
            why: status === 'expired' ? undefined : why,
            run: () => setAct('revoke'),
          },
        ]}
      />
      {act === 'edit' && <EditKey account={account} keyOf={keyOf} close={() => setAct(null)} />}
      {act !== null && act !== 'edit' && (
        <ActDialog key={act} act={act} keyOf={keyOf} close={() => setAct(null)} />
      )}
    </>
  );
}

function ActDialog({ act, keyOf, close }: { act: Act; keyOf: ApiKey; close: () => void }) {
  const account = useAccount();
  const client = useQueryClient();
  const members = useQuery({ ...membersQuery(account), enabled: act === 'transfer' }).data?.data ?? [];
  // Only owners may give keys to owners.
  const others = members.filter(
    ({ id, status, role }) =>
      id !== keyOf.owner.member_id &&
      status === 'active' &&
      role !== 'billing' &&
      (role !== 'owner' || account.role === 'owner'),
  );
  const [member, setMember] = useState('');
  const [reason, setReason] = useState('unused');
  const [comment, setComment] = useState('');
  const { busy, error, run } = useAct(async () => {
    const bodies = {
      transfer: { member_id: member },
      revoke: { reason, ...(comment === '' ? {} : { comment }) },
      suspend: {},
      resume: {},
    };
    await post(`${acts(account)}/keys/${keyOf.id}/${act}`, bodies[act]);
    await client.invalidateQueries({ queryKey: [account.id, 'keys'] });
    close();
    toast(`The key ${keyOf.name} ${done[act]}.`);
  });
  const { fault, rest } = useFaults(error, { member_id: member, reason, comment });
  const [title, label, explained] = words[act];
  return (
    <Confirm
      title={`${title} ${keyOf.name}`}
      act={{ label, run: () => void run() }}
      busy={busy}
      danger={act === 'revoke'}
      ready={act !== 'transfer' || member !== ''}
      close={close}
    >
      <p className="text-muted">{explained}</p>
      <ProblemNotice error={rest} />
      {act === 'transfer' && (
        <SelectField
          label="New owner"
          value={member}
          fault={fault('member_id')}
          onChange={(event) => setMember(event.target.value)}
        >
          <option value="">Choose a member</option>
          {others.map(({ id, name, role }) => (
            <option key={id} value={id}>
              {name} ({role})
            </option>
          ))}
        </SelectField>
      )}
      {act === 'revoke' && (
        <>
          <SelectField label="Reason" value={reason} onChange={(event) => setReason(event.target.value)}>
            {reasons.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Comment"
            optional
            hint="It stands in the audit log."
            maxLength={200}
            value={comment}
            fault={fault('comment')}
            onChange={(event) => setComment(event.target.value)}
          />
        </>
      )}
    </Confirm>
  );
}
