import { useEffect, useState } from 'react';
import { keepChosen } from '../data/chosen-account.ts';
import { Problem, post } from '../data/http.ts';
import { formatTime, roleWords } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { useFaults } from '../ui/use-faults.ts';
import { DeadLink, isDeadLink } from './dead-link.tsx';
import { Head } from './frame.tsx';
import { tokenInFragment } from './next.ts';
import { NewPasswordField } from './password-field.tsx';
import type { DoorProps } from './props.ts';

interface Invitation {
  readonly account_name: string;
  readonly inviter: string;
  readonly role: string;
  readonly email: string;
  readonly person_exists: boolean;
  readonly expires_at: string;
}

export default function Join({ site }: DoorProps) {
  const token = tokenInFragment();
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [form, setForm] = useState({ name: '', password: '' });
  const [declined, setDeclined] = useState(false);
  const look = useAct(async () =>
    setInvitation(await post<Invitation>('/portal/v1/invitations/look', { token })),
  );
  const accept = useAct(async () => {
    const { account_id } = await post<{ account_id: string }>('/portal/v1/invitations/accept', {
      token,
      ...(invitation?.person_exists ? {} : form),
    });
    keepChosen(account_id);
    location.replace('/portal');
  });
  const change = useAct(async () => {
    await post('/portal/v1/sign-out');
    location.reload();
  });
  const decline = useAct(async () => {
    await post('/portal/v1/invitations/decline', { token });
    setDeclined(true);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the invitation is read once.
  useEffect(() => void look.run(), []);
  const { fault, rest } = useFaults(accept.error, form);
  if (declined) return <Head title="Declined">The account was told. You can close this page.</Head>;
  if (isDeadLink(look.error) || isDeadLink(accept.error) || isDeadLink(decline.error))
    return <DeadLink title="Invitation">Ask whoever invited you to send the invitation again.</DeadLink>;
  if (invitation === null)
    return (
      <>
        <Head title="Invitation" />
        <ProblemNotice error={look.error} retry={() => void look.run()} />
      </>
    );
  // Whoever is signed in has a login, and the invited person may have none.
  const isSomebodyElse =
    (site?.signed_in && !invitation.person_exists) ||
    (accept.error instanceof Problem && accept.error.body['current_state'] === 'signed_in');
  const mustSignIn = invitation.person_exists && !site?.signed_in;
  return (
    <>
      <Head title={`Join ${invitation.account_name}`}>
        {invitation.inviter} invites {invitation.email} with the role {invitation.role}.
      </Head>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void accept.run();
        }}
      >
        <p className="rounded-md bg-sunken px-3.5 py-2.5 text-sm text-muted">
          {roleWords[invitation.role] ?? invitation.role} The invitation ends{' '}
          {formatTime(invitation.expires_at)}.
        </p>
        <ProblemNotice error={(isSomebodyElse ? null : rest) ?? decline.error ?? change.error} />
        {isSomebodyElse && (
          <Notice tone="warn">
            You are signed in with another address than <span className="break-all">{invitation.email}</span>.
          </Notice>
        )}
        {!invitation.person_exists && !isSomebodyElse && (
          <>
            <TextField
              label="Your name"
              autoComplete="name"
              required
              maxLength={100}
              value={form.name}
              fault={fault('name')}
              onChange={(event) => setForm({ ...form, name: event.target.value })}
            />
            <NewPasswordField
              value={form.password}
              fault={fault('password')}
              onChange={(password) => setForm({ ...form, password })}
            />
          </>
        )}
        {isSomebodyElse ? (
          <Button kind="primary" busy={change.busy} onClick={() => void change.run()}>
            Sign out and go on
          </Button>
        ) : mustSignIn ? (
          <a
            className="btn btn-primary"
            href={`/portal/sign-in#next=${encodeURIComponent(`/portal/join${location.hash}`)}`}
          >
            Sign in to accept
          </a>
        ) : (
          <Button kind="primary" type="submit" busy={accept.busy}>
            Accept
          </Button>
        )}
        <Button kind="quiet" busy={decline.busy} onClick={() => void decline.run()}>
          Decline
        </Button>
      </form>
    </>
  );
}
