import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { activeKeysQuery, newestResourcesQuery } from '../../data/account-queries.ts';
import { listAddress, mainNouns, nounsQuery, productsOf, singularOf } from '../../data/nouns.ts';
import { securityQuery } from '../../data/queries.ts';
import type { Account } from '../../data/types.ts';
import { inSentence } from '../../data/words.ts';
import { Icon } from '../../ui/icons.tsx';
import { Section } from '../../ui/states.tsx';

/** For an account in which not much has happened yet. */
export function FirstSteps({ account }: { account: Account }) {
  const keys = useQuery(activeKeysQuery(account)).data?.data;
  const security = useQuery(securityQuery).data;
  const resources = useQuery(newestResourcesQuery(account)).data?.data;
  const families = useQuery(nounsQuery).data;
  if (keys === undefined || security === undefined || resources === undefined || families === undefined)
    return null;
  const first = productsOf(families)
    .flatMap(mainNouns)
    .find(({ create }) => create !== undefined);
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
    ...(first === undefined
      ? []
      : [
          {
            done: resources.length > 0,
            title: `Create ${inSentence(singularOf(first))}`,
            note: 'Its price stands beside the form.',
            to: `${listAddress(first)}/new`,
          },
        ]),
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
