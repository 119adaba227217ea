import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post, send } from '../../data/http.ts';
import { ADMINS_ONLY, acts, isAdmin } from '../../data/session.ts';
import type { Account, Member } from '../../data/types.ts';
import { count, roleNames, roleWords, spoken } from '../../data/words.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useFaults } from '../../ui/use-faults.ts';

type Act = 'role' | 'suspend' | 'reinstate' | 'remove';

interface Props {
  readonly account: Account;
  readonly member: Member;
  readonly members: readonly Member[];
}

export function MemberMenu({ account, member, members }: Props) {
  const [act, setAct] = useState<Act | null>(null);
  const isOwner = member.role === 'owner';
  const isLastOwner =
    isOwner && members.filter(({ role, status }) => role === 'owner' && status === 'active').length < 2;
  const why = !isAdmin(account)
    ? ADMINS_ONLY
    : isOwner && account.role !== 'owner'
      ? 'Only owners may change owners.'
      : isLastOwner
        ? 'An account needs an active owner.'
        : undefined;
  return (
    <>
      <Menu
        label={`Acts for ${member.name}`}
        items={[
          { label: 'Change the role', icon: 'swap', why, run: () => setAct('role') },
          member.status === 'suspended'
            ? { label: 'Reinstate', icon: 'play', why, run: () => setAct('reinstate') }
            : { label: 'Suspend', icon: 'clock', why, run: () => setAct('suspend') },
          'line',
          { label: 'Remove', icon: 'close', danger: true, why, run: () => setAct('remove') },
        ]}
      />
      {act !== null && (
        <ActDialog
          key={act}
          act={act}
          account={account}
          member={member}
          members={members}
          close={() => setAct(null)}
        />
      )}
    </>
  );
}

function ActDialog({ act, account, member, members, close }: Props & { act: Act; close: () => void }) {
  const client = useQueryClient();
  const [role, setRole] = useState(member.role);
  const [heir, setHeir] = useState('');
  const [typed, setTyped] = useState('');
  const path = `${acts(account)}/members/${member.id}`;
  const keys = member.key_count ?? 0;
  const calls: Readonly<Record<Act, () => Promise<unknown>>> = {
    role: () => send(path, { method: 'PATCH', body: { role } }),
    suspend: () => post(`${path}/suspend`),
    reinstate: () => post(`${path}/reinstate`),
    remove: () => send(`${path}${heir === '' ? '' : `?transfer_keys_to=${heir}`}`, { method: 'DELETE' }),
  };
  const { busy, error, run } = useAct(async () => {
    await calls[act]();
    await client.invalidateQueries({ queryKey: [account.id] });
    close();
    toast(`${member.name}: done.`);
  });
  const { fault, rest } = useFaults(error, { role, transfer_keys_to: heir });
  const titles: Readonly<Record<Act, readonly [string, string]>> = {
    role: [`The role of ${member.name}`, 'Change'],
    suspend: [`Suspend ${member.name}`, 'Suspend'],
    reinstate: [`Reinstate ${member.name}`, 'Reinstate'],
    remove: [`Remove ${member.name}`, 'Remove'],
  };
  const [title, label] = titles[act];
  // Only owners may give keys to owners.
  const others = members.filter(
    ({ id, status, role: each }) =>
      id !== member.id &&
      status === 'active' &&
      each !== 'billing' &&
      (each !== 'owner' || account.role === 'owner'),
  );
  return (
    <Confirm
      title={title}
      act={{ label, run: () => void run() }}
      busy={busy}
      danger={act === 'remove'}
      ready={act !== 'remove' || typed.trim() === member.name}
      close={close}
    >
      <ProblemNotice error={rest} />
      {act === 'role' && (
        <SelectField
          label="Role"
          hint={roleWords[role]}
          value={role}
          fault={fault('role')}
          onChange={(event) => setRole(event.target.value as typeof role)}
        >
          {roleNames
            .filter((name) => name !== 'owner' || account.role === 'owner')
            .map((name) => (
              <option key={name} value={name}>
                {spoken(name)}
              </option>
            ))}
        </SelectField>
      )}
      {act === 'suspend' && (
        <p className="text-muted">
          {member.name} cannot enter the account until reinstated
          {keys > 0 && `, and ${count(keys, 'key')} of theirs stop working`}.
        </p>
      )}
      {act === 'reinstate' && <p className="text-muted">{member.name} and their keys can work again.</p>}
      {act === 'remove' && (
        <>
          <p className="text-muted">{member.name} leaves the account at once. What they made stays.</p>
          {keys > 0 && (
            <SelectField
              label={`What happens to ${count(keys, 'key')}`}
              value={heir}
              fault={fault('transfer_keys_to')}
              onChange={(event) => setHeir(event.target.value)}
            >
              <option value="">Revoke them</option>
              {others.map(({ id, name }) => (
                <option key={id} value={id}>
                  Give them to {name}
                </option>
              ))}
            </SelectField>
          )}
          <TextField
            label={`Type ${member.name} to confirm`}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </>
      )}
    </Confirm>
  );
}
