import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  activeKeysQuery,
  budgetsQuery,
  failedOperationsQuery,
  webhooksQuery,
} from '../../data/account-queries.ts';
import { money } from '../../data/money.ts';
import { approvalsQuery } from '../../data/queries.ts';
import { isAdmin } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { Section } from '../../ui/states.tsx';
import { Ago, useNow } from '../../ui/time.tsx';
import { useOpenDenials } from '../keys/cures.ts';
import { isEnding } from '../keys/words.ts';
import { titleOf } from '../operations/words.ts';

interface Need {
  readonly id: string;
  readonly icon: IconName;
  readonly tone: string;
  readonly title: string;
  readonly note: ReactNode;
  readonly link: ReactNode;
}

const DAY = 86_400_000;
const SMALL = 'btn btn-plain btn-small shrink-0';

const keyLink = (id: string): ReactNode => (
  <Link to="/api/keys" search={{ key: id }} className={SMALL}>
    Look
  </Link>
);

function useKeyNeeds(account: Account): readonly Need[] {
  const now = useNow();
  const keys = useQuery(activeKeysQuery(account)).data?.data ?? [];
  return [
    ...keys
      .filter(({ exposed_at }) => exposed_at !== null)
      .map((key) => ({
        id: `exposed ${key.id}`,
        icon: 'warn' as const,
        tone: 'text-bad',
        title: `The key ${key.name} was found in public`,
        note: 'Roll or revoke it now.',
        link: keyLink(key.id),
      })),
    ...keys
      .filter((key) => isEnding(key, now))
      .map((key) => ({
        id: `ending ${key.id}`,
        icon: 'clock' as const,
        tone: 'text-warn',
        title: `The key ${key.name} ends soon`,
        note: key.expires_at && <Ago time={key.expires_at} />,
        link: keyLink(key.id),
      })),
  ];
}

function useApprovalNeeds(account: Account): readonly Need[] {
  const approvals = useQuery(approvalsQuery(account)).data?.data ?? [];
  return approvals.map((approval) => ({
    id: approval.operation_id,
    icon: 'approvals',
    tone: 'text-accent-ink',
    title: `${approval.key.name ?? 'A key'} asks: ${approval.call.summary ?? approval.call.operation_id}`,
    note: (
      <>
        Ends <Ago time={approval.expires_at} />
      </>
    ),
    link: (
      <Link to="/approvals/$id" params={{ id: approval.operation_id }} className={SMALL}>
        {isAdmin(account) ? 'Decide' : 'Look'}
      </Link>
    ),
  }));
}

/** Of the last day, without questions that nobody answered. */
function useFailureNeeds(account: Account): readonly Need[] {
  const now = useNow();
  const failed = useQuery(failedOperationsQuery(account)).data?.data ?? [];
  return failed
    .filter(({ type, finished_at: at }) => type !== 'approval.request' && now - Date.parse(at ?? '') < DAY)
    .map((operation) => ({
      id: operation.id,
      icon: 'warn',
      tone: 'text-bad',
      title: `Failed: ${titleOf(operation)}`,
      note: operation.error?.detail ?? '',
      link: (
        <Link to="/operations/$id" params={{ id: operation.id }} className={SMALL}>
          Look
        </Link>
      ),
    }));
}

function useBudgetNeeds(account: Account): readonly Need[] {
  const budgets = useQuery(budgetsQuery(account)).data ?? [];
  return budgets
    .filter(({ status }) => status !== 'ok')
    .map(({ id, name, status, spent, amount, currency, percent_used: percent }) => ({
      id,
      icon: 'warn',
      tone: status === 'warning' ? 'text-warn' : 'text-bad',
      title:
        status === 'blocking'
          ? `The budget ${name} is spent and refuses new cost`
          : status === 'exceeded'
            ? `The budget ${name} is spent`
            : `The budget ${name} has reached a threshold`,
      note: `${money(spent, currency)} of ${money(amount, currency)}, ${percent} %`,
      link: (
        <Link to="/budgets" className={SMALL}>
          Look
        </Link>
      ),
    }));
}

function useWebhookNeeds(account: Account): readonly Need[] {
  const webhooks = useQuery(webhooksQuery(account)).data ?? [];
  return webhooks
    .filter(({ status, disabled_reason: reason }) => status === 'failing' || reason === 'failures')
    .map(({ id, name, status }) => ({
      id,
      icon: 'warn',
      tone: 'text-warn',
      title: `The webhook ${name} ${status === 'failing' ? 'fails' : 'was switched off'}`,
      note: 'Its messages do not get through.',
      link: (
        <Link to="/webhooks/$id" params={{ id }} className={SMALL}>
          Look
        </Link>
      ),
    }));
}

function useDenialNeeds(account: Account): readonly Need[] {
  const all = (useOpenDenials(account) ?? []).reduce((sum, denial) => sum + denial.count, 0);
  if (all === 0) return [];
  return [
    {
      id: 'refused',
      icon: 'info',
      tone: 'text-warn',
      title: `${count(all, 'call')} refused in 24 hours`,
      note: 'Because of a permission or an address.',
      link: (
        <Link to="/api/keys/denials" className={SMALL}>
          Cure them
        </Link>
      ),
    },
  ];
}

/** What waits for a decision, or goes wrong if nobody looks. */
export function NeedsYou({ account }: { account: Account }) {
  const approvals = useQuery(approvalsQuery(account));
  const keys = useQuery(activeKeysQuery(account));
  const error = approvals.error ?? keys.error;
  const needs = [
    useApprovalNeeds(account),
    useFailureNeeds(account),
    useBudgetNeeds(account),
    useKeyNeeds(account),
    useWebhookNeeds(account),
    useDenialNeeds(account),
  ].flat();
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
                <p className="font-medium wrap-anywhere">{title}</p>
                <p className="text-sm text-muted wrap-anywhere">{note}</p>
              </div>
              {link}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
