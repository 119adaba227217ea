import { useEffect, useState } from 'react';
import { Problem, post } from '../data/http.ts';
import { formatTime, roleWords } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { DeadLink, isDeadLink } from './dead-link.tsx';
import { Head } from './frame.tsx';
import type { DoorProps } from './main.tsx';
import { tokenInFragment } from './next.ts';
import { NewPasswordField } from './password-field.tsx';

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
    await post('/portal/v1/invitations/accept', { token, ...(invitation?.person_exists ? {} : form) });
    location.replace('/portal');
  });
  const decline = useAct(async () => {
    await post('/portal/v1/invitations/decline', { token });
    setDeclined(true);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the invitation is read once.
  useEffect(() => void look.run(), []);
  const fault = (name: string) => (accept.error instanceof Problem ? accept.error.fault(name) : undefined);
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
  const signedInElsewhere = accept.error instanceof Problem && accept.error.status === 403;
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
        <ProblemNotice error={accept.error ?? decline.error} />
        {signedInElsewhere && (
          <Notice tone="warn">
            You are signed in as somebody else. Sign out first, then open the link again.
          </Notice>
        )}
        {invitation.person_exists ? (
          !site?.signed_in && (
            <Notice>
              You have a login for this address.{' '}
              <a
                className="link"
                href={`/portal/sign-in?next=${encodeURIComponent(`/portal/join${location.hash}`)}`}
              >
                Sign in
              </a>{' '}
              first.
            </Notice>
          )
        ) : (
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
        <Button kind="primary" type="submit" busy={accept.busy}>
          Accept
        </Button>
        <Button kind="quiet" busy={decline.busy} onClick={() => void decline.run()}>
          Decline
        </Button>
      </form>
    </>
  );
}
