import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { post, send } from '../../data/http.ts';
import { invitationsQuery, membersQuery } from '../../data/queries.ts';
import { ADMINS_ONLY, acts, isAdmin, useAccount } from '../../data/session.ts';
import type { Account, Invitation, Member } from '../../data/types.ts';
import { count, roleNames, roleWords, spoken } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Acts, Cell, Row, Table } from '../../ui/rows.tsx';
import { Empty, Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { Invite } from './invite.tsx';
import { MemberMenu } from './member-menu.tsx';

export default function Members() {
  const account = useAccount();
  const query = useQuery(membersQuery(account));
  const { invite } = useSearch({ strict: false }) as { invite?: string };
  const navigate = useNavigate();
  const why = isAdmin(account) ? undefined : ADMINS_ONLY;
  const open = (isOpen: boolean): void =>
    void navigate({ to: '/members', search: isOpen ? { invite: 'yes' } : {} });
  const inviteButton = (
    <Button kind="primary" why={why} onClick={() => open(true)}>
      <Icon name="plus" />
      Invite
    </Button>
  );
  return (
    <>
      <PageHead title="Members" act={inviteButton}>
        Who works in {account.name}, and what each may do.
      </PageHead>
      <Loaded query={query}>
        {({ data }) => (
          <>
            <Table label="Members" columns={['Name', 'Role', 'Keys', 'Status', 'Acts']}>
              {shownMembers(data, account).map((member) => (
                <Row key={member.id}>
                  <Cell wide free quiet={member.email}>
                    <span className="font-medium">{member.name}</span>
                    {member.id === account.member_id && <span className="text-muted"> (you)</span>}
                  </Cell>
                  <Cell label="Role">{spoken(member.role)}</Cell>
                  <Cell label="Keys">
                    {member.key_count === undefined ? '' : count(member.key_count, 'key')}
                  </Cell>
                  <Cell label="Status">
                    <Badge tone={memberTone(member)}>{member.status}</Badge>
                  </Cell>
                  <Acts>
                    <MemberMenu account={account} member={member} members={data} />
                  </Acts>
                </Row>
              ))}
            </Table>
            {shownMembers(data, account).length === 1 && (
              <p className="mt-3 text-sm text-muted">
                Only you are here. Invite a second owner: then nobody is locked out for good.
              </p>
            )}
          </>
        )}
      </Loaded>
      <div className="mt-8">
        {isAdmin(account) && <Invitations account={account} />}
        {account.role === 'owner' && <MfaRequired account={account} />}
        <Roles />
      </div>
      {invite !== undefined && why === undefined && <Invite account={account} close={() => open(false)} />}
    </>
  );
}

/** Admins see those who are invited in a list of their own. */
const shownMembers = (members: readonly Member[], account: Account): readonly Member[] =>
  isAdmin(account) ? members.filter(({ status }) => status !== 'invited') : members;

const memberTone = ({ status }: Member) =>
  status === 'active' ? 'good' : status === 'suspended' ? 'warn' : 'plain';

function Invitations({ account }: { account: Account }) {
  const query = useQuery(invitationsQuery(account));
  if (query.data?.data.length === 0) return null;
  return (
    <Section title="Invitations">
      <Loaded query={query} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No open invitations" />
          ) : (
            <ul className="card divide-y divide-line">
              {data.map((invitation) => (
                <InvitationRow key={invitation.id} account={account} invitation={invitation} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function InvitationRow({ account, invitation }: { account: Account; invitation: Invitation }) {
  const client = useQueryClient();
  const path = `${acts(account)}/invitations/${invitation.id}`;
  const again = useAct(async () => {
    await post(`${path}/send-again`);
    await client.invalidateQueries({ queryKey: [account.id, 'members'] });
    toast(`The invitation to ${invitation.email} was sent again.`);
  });
  const withdraw = useAct(async () => {
    await send(path, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: [account.id, 'members'] });
    toast(`The invitation to ${invitation.email} is ${invitation.expired ? 'removed' : 'withdrawn'}.`);
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 md:px-5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium break-all">{invitation.email}</span>
          {invitation.expired && <Badge tone="warn">expired</Badge>}
        </p>
        <p className="text-sm text-muted">
          {invitation.name && invitation.name !== invitation.email && `${invitation.name}, `}
          {spoken(invitation.role)}, {invitation.expired ? 'its link ended' : 'ends'}{' '}
          <Ago time={invitation.expires_at} />
        </p>
      </div>
      <Button small busy={again.busy} onClick={() => void again.run()}>
        Send again
      </Button>
      <Button small kind="quiet" busy={withdraw.busy} onClick={() => void withdraw.run()}>
        {invitation.expired ? 'Remove' : 'Withdraw'}
      </Button>
      <div className="w-full empty:hidden">
        <ProblemNotice error={again.error ?? withdraw.error} />
      </div>
    </li>
  );
}

function MfaRequired({ account }: { account: Account }) {
  const client = useQueryClient();
  const { error, run } = useAct(async (required: boolean) => {
    await send(`${acts(account)}/mfa-required`, { method: 'PUT', body: { required } });
    await client.invalidateQueries({ queryKey: ['me'] });
    toast(required ? 'Everybody needs a second factor now.' : 'A second factor is no longer required.');
  });
  return (
    <Section title="Second factor">
      <div className="card p-5">
        <CheckField
          label="Everybody in this account needs a second factor"
          hint="Members without a passkey or an authenticator app can only add one until they have it."
          checked={account.mfa_required}
          onChange={(event) => void run(event.target.checked)}
        />
        <div className="mt-3 empty:hidden">
          <ProblemNotice error={error} />
        </div>
      </div>
    </Section>
  );
}

const Roles = () => (
  <Section title="What the roles mean">
    <dl className="card divide-y divide-line">
      {roleNames.map((role) => (
        <div key={role} className="grid gap-x-6 px-4 py-2.5 sm:grid-cols-[120px_minmax(0,1fr)] md:px-5">
          <dt className="font-medium">{spoken(role)}</dt>
          <dd className="text-muted">{roleWords[role]}</dd>
        </div>
      ))}
    </dl>
  </Section>
);
