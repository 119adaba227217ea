import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../data/http.ts';
import { membersQuery } from '../../data/queries.ts';
import { ADMINS_ONLY, acts, isAdmin, useAccount } from '../../data/session.ts';
import type { ApiKey, NewKey } from '../../data/types.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

type Act = 'roll' | 'suspend' | 'resume' | 'revoke' | 'transfer';

const overlaps: readonly (readonly [string, string])[] = [
  ['0', 'At once'],
  ['1h', 'In 1 hour'],
  ['24h', 'In 24 hours'],
  ['7d', 'In 7 days'],
];

const reasons: readonly (readonly [string, string])[] = [
  ['unused', 'No longer used'],
  ['rotated', 'Replaced by another key'],
  ['leaked', 'Others may know it'],
  ['other', 'Something else'],
];

const words: Readonly<Record<Act, readonly [string, string, string]>> = {
  roll: [
    'Roll the key',
    'Roll',
    'A new key with the same name, permissions and lifetime takes over. The old one goes on for a while, so that nothing breaks.',
  ],
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
  roll: 'is rolled',
  suspend: 'is suspended',
  resume: 'works again',
  revoke: 'is revoked',
  transfer: 'has a new owner',
};

export function KeyMenu({
  keyOf,
  made,
  open,
}: {
  keyOf: ApiKey;
  made: (key: NewKey) => void;
  open: () => void;
}) {
  const account = useAccount();
  const [act, setAct] = useState<Act | null>(null);
  const { status, owner } = keyOf;
  const isMine = owner.member_id === account.member_id;
  const notMine = isMine || isAdmin(account) ? undefined : 'Only its owner and admins may do this.';
  const notMyRoll = isMine
    ? undefined
    : isAdmin(account)
      ? 'Only its owner may: whoever rolls a key sees the new secret. Transfer it to yourself first, or revoke it.'
      : 'Only its owner may: whoever rolls a key sees the new secret.';
  const ended = status === 'revoked' || status === 'expired' ? `It is ${status}.` : undefined;
  return (
    <>
      <Menu
        label={`Acts for ${keyOf.name}`}
        items={[
          { label: 'Details', icon: 'info', run: open },
          { label: 'Roll', icon: 'swap', why: ended ?? notMyRoll, run: () => setAct('roll') },
          status === 'suspended'
            ? { label: 'Resume', icon: 'play', why: notMine, run: () => setAct('resume') }
            : { label: 'Suspend', icon: 'clock', why: ended ?? notMine, run: () => setAct('suspend') },
          {
            label: 'Transfer',
            icon: 'people',
            why: ended ?? (isAdmin(account) ? undefined : ADMINS_ONLY),
            run: () => setAct('transfer'),
          },
          'line',
          {
            label: 'Revoke',
            icon: 'close',
            danger: true,
            why: status === 'revoked' ? 'It is revoked.' : notMine,
            run: () => setAct('revoke'),
          },
        ]}
      />
      {act !== null && <ActDialog key={act} act={act} keyOf={keyOf} made={made} close={() => setAct(null)} />}
    </>
  );
}

function ActDialog({
  act,
  keyOf,
  made,
  close,
}: {
  act: Act;
  keyOf: ApiKey;
  made: (key: NewKey) => void;
  close: () => void;
}) {
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
  const [overlap, setOverlap] = useState('24h');
  const [member, setMember] = useState('');
  const [reason, setReason] = useState('unused');
  const [comment, setComment] = useState('');
  const { busy, error, run } = useAct(async () => {
    const bodies = {
      roll: { overlap },
      transfer: { member_id: member },
      revoke: { reason, ...(comment === '' ? {} : { comment }) },
      suspend: {},
      resume: {},
    };
    const answer = await post<Partial<NewKey>>(`${acts(account)}/keys/${keyOf.id}/${act}`, bodies[act]);
    await client.invalidateQueries({ queryKey: [account.id, 'keys'] });
    close();
    if (answer.secret !== undefined && answer.key !== undefined) made(answer as NewKey);
    else toast(`The key ${keyOf.name} ${done[act]}.`);
  });
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
      <ProblemNotice error={error} />
      {act === 'roll' && (
        <SelectField
          label="The old key ends"
          value={overlap}
          onChange={(event) => setOverlap(event.target.value)}
        >
          {overlaps.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
      )}
      {act === 'transfer' && (
        <SelectField label="New owner" value={member} onChange={(event) => setMember(event.target.value)}>
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
            onChange={(event) => setComment(event.target.value)}
          />
        </>
      )}
    </Confirm>
  );
}
