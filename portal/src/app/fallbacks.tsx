import { Link } from '@tanstack/react-router';
import { Problem } from '../data/http.ts';
import type { Account, Me } from '../data/types.ts';
import { reloadIfServed } from '../ui/lazy-page.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Empty, PageHead } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';

export const NotFound = () => (
  <>
    <PageHead title="Not found" />
    <Empty
      title="There is no such page"
      act={
        <Link to="/" className="btn btn-plain">
          Go to the first page
        </Link>
      }
    >
      The address may be mistyped, or the page has moved. The search at the top finds every page and every
      operation.
    </Empty>
  </>
);

export const Failed = ({ error, reset }: { error: unknown; reset: () => void }) => (
  <>
    <PageHead title="This page failed" />
    <ProblemNotice
      error={error}
      retry={
        error instanceof Problem
          ? reset
          : () => void reloadIfServed().catch(() => toast('The server does not answer.'))
      }
    />
  </>
);

/** Whoever was removed from the last account can still sign in. */
export const NoAccount = ({ me }: { me: Me }) => (
  <>
    <PageHead title="No account" />
    <Empty
      title="You belong to no account at the moment"
      act={
        <Link to="/me" className="btn btn-plain">
          Go to your profile
        </Link>
      }
    >
      Ask an owner or admin of an account to invite{' '}
      <span className="[overflow-wrap:anywhere]">{me.person.email}</span>. The API reference is open to you.
    </Empty>
  </>
);

export const SecondFactorNeeded = ({ account }: { account: Account }) => (
  <>
    <PageHead title="Second factor needed" />
    <Empty
      title={`${account.name} asks everybody for a second factor`}
      act={
        <Link to="/me/security" className="btn btn-primary">
          Add a second factor
        </Link>
      }
    >
      Add a passkey or an authenticator app. If you have one, sign out and sign in with it.
    </Empty>
  </>
);
