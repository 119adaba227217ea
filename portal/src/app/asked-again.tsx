/** Waits for refusals that a person can answer, and opens the dialog for each. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { get, type Problem } from '../data/http.ts';
import { NOT_SIGNED_IN, onRefusal, REAUTHENTICATE } from '../data/reauth.ts';
import { meQuery, useMe } from '../data/session.ts';
import type { Me } from '../data/types.ts';
import { toast } from '../ui/toast.tsx';
import { useLoadedSoon } from '../ui/use-loaded-soon.ts';
import { leave } from './leave.ts';

const reauthDialog = () => import('./reauth-dialog.tsx');
const signInDialog = () => import('./sign-in-again.tsx');

/** "Is it still you?", before acts that matter. */
export function Reauthentication() {
  const [answer, setAnswer] = useState<{ readonly give: (done: boolean) => void } | null>(null);
  const [Ask, loaded] = useLoadedSoon(reauthDialog);
  useEffect(() => {
    onRefusal(REAUTHENTICATE, (give) => {
      setAnswer({ give });
      loaded().catch(() => {
        setAnswer(null);
        give(false);
        toast('This needs your password again, but the dialog is not loaded: the server does not answer.');
      });
    });
    return () => onRefusal(REAUTHENTICATE, undefined);
  }, [loaded]);
  const end = (done: boolean): void => {
    answer?.give(done);
    setAnswer(null);
  };
  return answer === null || Ask === null ? null : <Ask end={end} />;
}

interface Asked {
  readonly refusal: Problem;
  readonly give: (done: boolean) => void;
}

/**
 * The session has ended. The page stays as it is, but is not shown, until the same person has signed in again. `hide` hides
 * it: somebody else may look at the screen.
 */
export function EndOfSession({ hide }: { hide: (isHidden: boolean) => void }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [Ask, loaded] = useLoadedSoon(signInDialog);
  const focused = useRef<Element>(null);
  const me = useMe();
  const client = useQueryClient();
  useEffect(() => {
    onRefusal(NOT_SIGNED_IN, (give, refusal) => {
      focused.current = document.activeElement;
      setAsked({ give, refusal });
      hide(true);
      // The page for signing in says what is wrong, if it is not there either.
      loaded().catch(leave);
    });
    return () => onRefusal(NOT_SIGNED_IN, undefined);
  }, [hide, loaded]);
  useEffect(() => {
    if (asked === null && focused.current instanceof HTMLElement) focused.current.focus();
  }, [asked]);
  if (asked === null || Ask === null || !me) return null;
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
  return <Ask person={me.person} why={asked.refusal.detail} done={done} />;
}
