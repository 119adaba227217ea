import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { post, send } from '../../data/http.ts';
import { securityQuery } from '../../data/queries.ts';
import type { Security } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { AddPasskey } from './add-passkey.tsx';
import { AddTotp } from './add-totp.tsx';
import { deviceOf } from './device.ts';
import { NewPassword } from './new-password.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Open = 'password' | 'totp' | 'passkey' | 'codes' | null;

export default function SecurityPage() {
  const query = useQuery(securityQuery);
  const { add } = useSearch({ strict: false }) as { add?: string };
  const navigate = useNavigate();
  const open = (['password', 'totp', 'passkey', 'codes'] as const).find((each) => each === add) ?? null;
  const setOpen = (next: Open): void =>
    void navigate({ to: '/me/security', search: next === null ? {} : { add: next } });
  return (
    <>
      <PageHead title="Security">How you sign in, and where you are signed in now.</PageHead>
      <Loaded query={query} rows={5}>
        {(security) => (
          <div className="max-w-[760px]">
            <Ways security={security} open={setOpen} />
            <Sessions security={security} />
            {open === 'password' && <NewPassword isSet={security.password_set} close={() => setOpen(null)} />}
            {open === 'totp' && <AddTotp left={security.recovery_codes.left} close={() => setOpen(null)} />}
            {open === 'passkey' && (
              <AddPasskey left={security.recovery_codes.left} close={() => setOpen(null)} />
            )}
            {open === 'codes' && (
              <RecoveryCodes left={security.recovery_codes.left} close={() => setOpen(null)} />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

function Line({
  title,
  note,
  children,
}: {
  title: React.ReactNode;
  note: React.ReactNode;
  children: React.ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3.5 md:px-5">
      <div className="min-w-0 flex-1 basis-[220px]">
        <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">{title}</p>
        <p className="text-sm break-words text-muted">{note}</p>
      </div>
      {children}
    </li>
  );
}

function Ways({ security, open }: { security: Security; open: (way: Open) => void }) {
  const { password_set, totp, passkeys, recovery_codes } = security;
  const [removing, setRemoving] = useState<{ readonly title: string; readonly path: string } | null>(null);
  const hasFactor = totp.enabled || passkeys.length > 0;
  return (
    <Section title="Signing in">
      <ul className="card divide-y divide-line">
        {passkeys.map((passkey) => (
          <Line
            key={passkey.id}
            title={
              <>
                {passkey.name} <Badge tone="good">passkey</Badge>
              </>
            }
            note={
              passkey.last_used_at ? (
                <>
                  Used <Ago time={passkey.last_used_at} />
                </>
              ) : (
                <>
                  Added <Ago time={passkey.created_at} />
                </>
              )
            }
          >
            <Button
              small
              kind="quiet"
              aria-label={`Remove ${passkey.name}`}
              why={
                !password_set && passkeys.length === 1
                  ? 'It is your only way to sign in: set a password first.'
                  : undefined
              }
              onClick={() =>
                setRemoving({
                  title: `the passkey ${passkey.name}`,
                  path: `/portal/v1/me/passkeys/${passkey.id}`,
                })
              }
            >
              Remove
            </Button>
          </Line>
        ))}
        <Line
          title="Passkeys"
          note="The fingerprint, face or PIN of your device: nothing to remember, nothing to steal."
        >
          <Button small kind={hasFactor ? 'plain' : 'primary'} onClick={() => open('passkey')}>
            Add a passkey
          </Button>
        </Line>
        <Line title="Password" note={password_set ? 'Set.' : 'Not set.'}>
          <Button small onClick={() => open('password')}>
            {password_set ? 'Change' : 'Set a password'}
          </Button>
        </Line>
        <Line
          title={<>Authenticator app {totp.enabled && <Badge tone="good">on</Badge>}</>}
          note={
            totp.enabled && totp.since ? (
              <>
                Since <Ago time={totp.since} />
              </>
            ) : (
              'Six digits from an app, asked after the password.'
            )
          }
        >
          {totp.enabled ? (
            <Button
              small
              kind="quiet"
              onClick={() => setRemoving({ title: 'the authenticator app', path: '/portal/v1/me/totp' })}
            >
              Remove
            </Button>
          ) : (
            <Button small onClick={() => open('totp')}>
              Set up
            </Button>
          )}
        </Line>
        <Line
          title="Recovery codes"
          note={
            recovery_codes.left === 0
              ? 'None. With them you get in when your phone is lost.'
              : `${count(recovery_codes.left, 'code')} left. Each works once.`
          }
        >
          <Button
            small
            why={hasFactor ? undefined : 'Add a passkey or an authenticator app first.'}
            onClick={() => open('codes')}
          >
            {recovery_codes.left === 0 ? 'Make codes' : 'Make new codes'}
          </Button>
        </Line>
      </ul>
      {removing && <Remove {...removing} close={() => setRemoving(null)} />}
    </Section>
  );
}

function Remove({ title, path, close }: { title: string; path: string; close: () => void }) {
  const client = useQueryClient();
  const { busy, error, run } = useAct(async () => {
    await send(path, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: ['security'] });
    await client.invalidateQueries({ queryKey: ['me'] });
    close();
    toast('Removed. A mail tells you about it.');
  });
  return (
    <Confirm
      title={`Remove ${title}`}
      danger
      act={{ label: 'Remove', run: () => void run() }}
      busy={busy}
      close={close}
    >
      <p className="text-muted">You can no longer sign in with it.</p>
      <ProblemNotice error={error} />
    </Confirm>
  );
}

function Sessions({ security }: { security: Security }) {
  const client = useQueryClient();
  const end = useAct(async (id: string | null) => {
    if (id === null) await post('/portal/v1/me/sessions/end-others');
    else await send(`/portal/v1/me/sessions/${id}`, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: ['security'] });
    toast(id === null ? 'All other sessions are ended.' : 'The session is ended.');
  });
  return (
    <Section
      title="Sessions"
      act={
        security.sessions.length > 1 && (
          <Button small busy={end.busy} onClick={() => void end.run(null)}>
            End all others
          </Button>
        )
      }
    >
      <div className="mb-3 empty:hidden">
        <ProblemNotice error={end.error} />
      </div>
      <ul className="card divide-y divide-line">
        {security.sessions.map((session) => (
          <Line
            key={session.id}
            title={
              <>
                {deviceOf(session.user_agent)} {session.current && <Badge tone="info">this one</Badge>}
              </>
            }
            note={
              <>
                {session.address}, seen <Ago time={session.last_seen_at} />, signed in{' '}
                <Ago time={session.created_at} />
              </>
            }
          >
            {!session.current && (
              <Button small kind="quiet" onClick={() => void end.run(session.id)}>
                End
              </Button>
            )}
          </Line>
        ))}
      </ul>
    </Section>
  );
}
