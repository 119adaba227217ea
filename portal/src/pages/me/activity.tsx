import { useInfiniteQuery } from '@tanstack/react-query';
import { get } from '../../data/http.ts';
import type { Happenings } from '../../data/types.ts';
import { spoken } from '../../data/words.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';

type Happening = Happenings['data'][number];

const words: Readonly<Record<string, string>> = {
  sign_in_failed: 'Sign-in refused',
  reauthenticated: 'Confirmed that it is you',
  profile_changed: 'Name or theme changed',
  totp_added: 'Authenticator app added',
  totp_removed: 'Authenticator app removed',
  recovery_codes_replaced: 'Recovery codes made',
  recovery_waits: 'Recovery without the second factor begun',
  recovered: 'New password chosen by a link',
  session_ended: 'A session ended',
  sessions_ended: 'Other sessions ended',
  second_factor_reset: 'Second factor reset by the provider',
};

const methods: Readonly<Record<string, string>> = {
  password: 'password',
  totp: 'authenticator app',
  recovery_code: 'recovery code',
  passkey: 'passkey',
  link: 'link in a mail',
};

const said = ({ type, data }: Happening): string => {
  const method = methods[String(data['method'] ?? '')];
  return (words[type] ?? spoken(type)) + (method === undefined ? '' : `: ${method}`);
};

/** The log of the person, newest first. */
export function Activity() {
  const query = useInfiniteQuery({
    queryKey: ['activity'],
    queryFn: ({ signal, pageParam }) =>
      get<Happenings>(`/portal/v1/me/activity?${new URLSearchParams(pageParam)}`, signal),
    initialPageParam: {},
    getNextPageParam: ({ next_cursor: cursor }) => (cursor ? { cursor } : undefined),
  });
  return (
    <Section title="Your log" note="Sign-ins, refused tries and changes of how you sign in.">
      <Loaded query={query} rows={3}>
        {({ pages }) =>
          pages.every(({ data }) => data.length === 0) ? (
            <Empty title="Nothing yet" />
          ) : (
            <ul className="card divide-y divide-line">
              {pages
                .flatMap(({ data }) => data)
                .map((happening) => (
                  <li
                    key={happening.id}
                    className="flex flex-wrap items-baseline gap-x-4 px-4 py-2.5 md:px-5"
                  >
                    <span className="min-w-0 flex-1 max-sm:basis-full">
                      {said(happening)}
                      {happening.count > 1 && <span className="text-muted">, {happening.count} times</span>}
                    </span>
                    <code className="text-sm text-muted">{happening.client_ip}</code>
                    <span className="text-sm text-muted">
                      <Ago time={happening.last_at} />
                    </span>
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <Button
          small
          className="mt-3"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </Section>
  );
}
