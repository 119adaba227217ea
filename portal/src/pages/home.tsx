import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  approvalsQuery,
  denialsQuery,
  indexQuery,
  keysQuery,
  operationsQuery,
  securityQuery,
} from '../data/queries.ts';
import { isAdmin, maySee, useAccount, useMe } from '../data/session.ts';
import type { Account } from '../data/types.ts';
import { count } from '../data/words.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { PageHead, Section, Skeleton } from '../ui/states.tsx';
import { Ago, useNow } from '../ui/time.tsx';
import { isEnding } from './keys/words.ts';
import { LatestWork } from './latest-work.tsx';

export default function Home() {
  const account = useAccount();
  const me = useMe();
  const hour = new Date().getHours();
  const greeting = hour < 5 || hour >= 18 ? 'Good evening' : hour < 12 ? 'Good morning' : 'Good afternoon';
  return (
    <>
      <PageHead title={`${greeting}, ${me?.person.name.split(' ')[0] ?? ''}`}>
        {account.name}, where you are{' '}
        {account.role === 'owner' || account.role === 'admin' || account.role === 'operator' ? 'an' : 'a'}{' '}
        {account.role === 'billing' ? 'billing contact' : account.role}.
      </PageHead>
      {maySee(account) ? <Overview account={account} /> : <Around />}
    </>
  );
}

/** All parts appear together, so that none pushes another one down. */
function Overview({ account }: { account: Account }) {
  const operations = useQuery(operationsQuery(account));
  const needed = [
    useQuery(approvalsQuery(account)),
    useQuery(keysQuery(account)),
    useQuery(denialsQuery(account)),
    useQuery(securityQuery),
    operations,
  ];
  if (needed.some(({ isFetched }) => !isFetched)) return <Skeleton rows={5} />;
  return (
    <>
      <NeedsYou account={account} />
      <FirstSteps account={account} />
      <LatestWork operations={operations.data?.data ?? []} />
      <Around />
    </>
  );
}

interface Need {
  readonly id: string;
  readonly icon: IconName;
  readonly tone: string;
  readonly title: string;
  readonly note: ReactNode;
  readonly link: ReactNode;
}

function NeedsYou({ account }: { account: Account }) {
  const approvals = useQuery(approvalsQuery(account));
  const keys = useQuery(keysQuery(account));
  const denials = useQuery(denialsQuery(account));
  const now = useNow();
  const error = approvals.error ?? keys.error;
  const small = 'btn btn-plain btn-small shrink-0';
  const waiting = approvals.data?.data ?? [];
  const ending = keys.data?.data.filter((key) => isEnding(key, now)) ?? [];
  const exposed = keys.data?.data.filter((key) => key.exposed_at !== null && key.status === 'active') ?? [];
  const refused =
    denials.data?.data.filter(
      ({ enforced, last_at }) => enforced && now - Date.parse(last_at) < 86_400_000,
    ) ?? [];
  const needs: Need[] = [
    ...exposed.map((key) => ({
      id: `exposed ${key.id}`,
      icon: 'warn' as const,
      tone: 'text-bad',
      title: `The key ${key.name} was found in public`,
      note: 'Roll or revoke it now.',
      link: (
        <Link to="/api/keys" search={{ key: key.id }} className={small}>
          Look
        </Link>
      ),
    })),
    ...waiting.map((approval) => ({
      id: approval.operation_id,
      icon: 'approvals' as const,
      tone: 'text-accent-ink',
      title: `${approval.key.name ?? 'A key'} asks: ${approval.call.summary ?? approval.call.operation_id}`,
      note: (
        <>
          Ends <Ago time={approval.expires_at} />
        </>
      ),
      link: (
        <Link to="/approvals/$id" params={{ id: approval.operation_id }} className={small}>
          {isAdmin(account) ? 'Decide' : 'Look'}
        </Link>
      ),
    })),
    ...ending.map((key) => ({
      id: `ending ${key.id}`,
      icon: 'clock' as const,
      tone: 'text-warn',
      title: `The key ${key.name} ends soon`,
      note: key.expires_at && <Ago time={key.expires_at} />,
      link: (
        <Link to="/api/keys" search={{ key: key.id }} className={small}>
          Look
        </Link>
      ),
    })),
    ...(refused.length === 0
      ? []
      : [
          {
            id: 'refused',
            icon: 'info' as const,
            tone: 'text-warn',
            title: `${count(
              refused.reduce((sum, denial) => sum + denial.count, 0),
              'call',
            )} refused in 24 hours`,
            note: 'Because of a permission or an address.',
            link: (
              <Link to="/api/keys/denials" className={small}>
                Cure them
              </Link>
            ),
          },
        ]),
  ];
  return (
    <Section title="What needs you">
      {error && <ProblemNotice error={error} />}
      {needs.length === 0 ? (
        <p className="card flex items-center gap-3 px-5 py-4 text-muted">
          <Icon name="check" className="text-good" />
          Nothing at the moment.
        </p>
      ) : (
        <ul className="card divide-y divide-line">
          {needs.map(({ id, icon, tone, title, note, link }) => (
            <li key={id} className="flex items-center gap-4 px-4 py-3 md:px-5">
              <Icon name={icon} className={tone} />
              <div className="min-w-0 flex-1">
                <p className="font-medium">{title}</p>
                <p className="text-sm text-muted">{note}</p>
              </div>
              {link}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function FirstSteps({ account }: { account: Account }) {
  const keys = useQuery(keysQuery(account)).data?.data;
  const security = useQuery(securityQuery).data;
  if (keys === undefined || security === undefined) return null;
  const steps = [
    {
      done: security.totp.enabled || security.passkeys.length > 0,
      title: 'Protect your login',
      note: 'A passkey or an authenticator app, in a minute.',
      to: '/me/security',
    },
    {
      done: keys.length > 0,
      title: 'Create an API key',
      note: 'One for each program that calls the API.',
      to: '/api/keys',
    },
    {
      done: keys.some(({ last_used }) => last_used !== null),
      title: 'Make the first call',
      note: 'With curl, or here in the API Explorer.',
      to: '/api/explorer',
    },
  ];
  if (steps.every(({ done }) => done)) return null;
  return (
    <Section title="First steps">
      <ol className="grid gap-4 md:grid-cols-3">
        {steps.map(({ done, title, note, to }, i) => (
          <li key={title}>
            <Link
              to={to}
              className={`card flex h-full gap-3.5 p-5 transition-colors hover:border-accent ${done ? 'text-muted' : ''}`}
            >
              <span
                className={`grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold ${done ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent-ink'}`}
              >
                {done ? <Icon name="check" /> : i + 1}
              </span>
              <span>
                <span className="block font-medium">{title}</span>
                <span className="block text-sm text-muted">{done ? 'Done.' : note}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Around() {
  const index = useQuery(indexQuery).data;
  const operations = index?.families.flatMap(({ resources }) =>
    resources.flatMap(({ operations: some }) => some),
  ).length;
  const places: readonly (readonly [IconName, string, string, string])[] = [
    [
      'book',
      'Full reference',
      '/api/reference',
      operations === undefined ? 'Every operation' : `All ${operations} operations`,
    ],
    ['play', 'API Explorer', '/api/explorer', 'Try a call, with a dry run first'],
    ['code', 'Examples', '/api/examples', 'curl, a CI job, a webhook receiver'],
  ];
  return (
    <Section title="Build">
      <div className="grid gap-4 md:grid-cols-3">
        {places.map(([icon, title, to, note]) => (
          <Link key={to} to={to} className="card flex gap-3.5 p-5 transition-colors hover:border-accent">
            <Icon name={icon} className="mt-[3px] text-accent-ink" />
            <span>
              <span className="block font-medium">{title}</span>
              <span className="block text-sm text-muted">{note}</span>
            </span>
          </Link>
        ))}
      </div>
    </Section>
  );
}
