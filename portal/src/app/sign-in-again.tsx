import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { get, type Problem, post } from '../data/http.ts';
import { NOT_SIGNED_IN, onRefusal } from '../data/reauth.ts';
import { meQuery, useMe } from '../data/session.ts';
import type { Me } from '../data/types.ts';
import { signInWithPasskey } from '../door/passkey.ts';
import { SecondFactor, type SecondFactorTicket } from '../door/second-factor.tsx';
import type { Answer } from '../door/sign-in.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { leave } from './leave.ts';

interface Asked {
  readonly refusal: Problem;
  readonly give: (done: boolean) => void;
}

/**
 * The session has ended. The page stays as it is, but is not shown, until the same person has signed in again. `hide` hides
 * it: somebody else may look at the screen.
 */
export function SignInAgain({ hide }: { hide: (isHidden: boolean) => void }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const focused = useRef<Element>(null);
  const me = useMe();
  const client = useQueryClient();
  useEffect(() => {
    onRefusal(NOT_SIGNED_IN, (give, refusal) => {
      focused.current = document.activeElement;
      setAsked({ give, refusal });
      hide(true);
    });
    return () => onRefusal(NOT_SIGNED_IN, undefined);
  }, [hide]);
  useEffect(() => {
    if (asked === null && focused.current instanceof HTMLElement) focused.current.focus();
  }, [asked]);
  if (asked === null || !me) return null;
  const done = async (): Promise<void> => {
    const now = await get<Me>('/portal/v1/me');
    // Somebody else: nothing that was on the page is theirs.
    if (now.person.id !== me.person.id) return leave();
    client.setQueryData(meQuery.queryKey, now);
    hide(false);
    setAsked(null);
    asked.give(true);
    await client.invalidateQueries();
  };
  return <Ask email={me.person.email} why={asked.refusal.detail} done={done} />;
}

function Ask({ email, why, done }: { email: string; why: string; done: () => Promise<void> }) {
  const [ticket, setTicket] = useState<SecondFactorTicket | null>(null);
  const [password, setPassword] = useState('');
  // The person may have signed in again in another tab.
  useEffect(() => {
    const look = (): void => void done().catch(() => {});
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [done]);
  const withPassword = useAct(async () => {
    const answer = await post<Answer>('/portal/v1/sign-in', { email, password });
    if (answer.status === 'second_factor') setTicket(answer);
    else await done();
  });
  const withPasskey = useAct(async () => {
    await signInWithPasskey();
    await done();
  });
  const other = (
    <Button kind="quiet" onClick={leave}>
      Sign in as somebody else
    </Button>
  );
  const intro = `${why} What you typed is kept.`;
  if (ticket !== null)
    return (
      <Dialog fixed title="Sign in again" intro={intro} close={() => {}} foot={other}>
        <SecondFactor ticket={ticket} back={() => setTicket(null)} done={done} />
      </Dialog>
    );
  return (
    <Dialog
      fixed
      title="Sign in again"
      intro={intro}
      close={() => {}}
      onSubmit={() => void withPassword.run()}
      foot={
        <>
          {other}
          <Button busy={withPasskey.busy} onClick={() => void withPasskey.run()}>
            Use a passkey
          </Button>
          <Button kind="primary" type="submit" busy={withPassword.busy}>
            Sign in
          </Button>
        </>
      }
    >
      <ProblemNotice error={withPassword.error ?? withPasskey.error} />
      <TextField label="E-mail" type="email" autoComplete="username" readOnly value={email} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </Dialog>
  );
}
