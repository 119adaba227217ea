import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { profileQuery } from '../../data/account-queries.ts';
import type { AccountProfile } from '../../data/account-types.ts';
import { siteQuery, useAccount } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { formatTime, spoken } from '../../data/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/code.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Loaded, PageHead, Section } from '../../ui/states.tsx';
import { CloseAccount } from './close-account.tsx';
import { ProfileForm } from './profile-form.tsx';

const countries = new Intl.DisplayNames(['en'], { type: 'region' });

const statuses: Readonly<Record<string, string>> = {
  restricted: 'Calls that raise the cost are refused. Ask your provider why.',
  suspended: 'The account can be read, and things can be deleted. Ask your provider why.',
  closing: 'The account is about to be closed: it can be read, and things can be deleted.',
};

export default function Settings() {
  const account = useAccount();
  const query = useQuery(profileQuery(account));
  return (
    <>
      <PageHead title="Settings">
        The account itself: its name, whom the provider writes to, and its end.
      </PageHead>
      <Loaded query={query} rows={6}>
        {(profile) => <Shown account={account} profile={profile} />}
      </Loaded>
    </>
  );
}

function Shown({ account, profile }: { account: Account; profile: AccountProfile }) {
  const { close } = useSearch({ strict: false }) as { close?: string };
  const site = useQuery(siteQuery).data;
  const navigate = useNavigate();
  const ask = (isOpen: boolean): void =>
    void navigate({ to: '/settings', search: (isOpen ? { close: 'ask' } : {}) as Record<string, string> });
  const why =
    account.role !== 'owner'
      ? 'Only owners may close the account.'
      : profile.status === 'closing'
        ? 'It is being closed already.'
        : undefined;
  const told = statuses[profile.status];
  return (
    <div className="max-w-[860px]">
      {told && (
        <div className="mb-6">
          <Notice tone="warn">{told}</Notice>
        </div>
      )}
      <ProfileForm key={profile.id} account={account} profile={profile} />
      <Section title="Set by your provider" note="Ask your provider if one of these has to change.">
        <Facts>
          <Fact title="Status">
            <Badge tone={profile.status === 'active' ? 'good' : 'warn'}>{profile.status}</Badge>
          </Fact>
          <Fact title="Country">{countries.of(profile.country) ?? profile.country}</Fact>
          <Fact title="Currency">{profile.currency}</Fact>
          <Fact title="Support">{spoken(profile.support_plan)}</Fact>
          <Fact title="Products">
            <span className="flex flex-wrap gap-1.5">
              {profile.products
                .filter(({ enabled, family }) => enabled && family !== 'account')
                .map(({ family }) => (
                  <Badge key={family} tone="plain" dot={false}>
                    {spoken(family)}
                  </Badge>
                ))}
            </span>
          </Fact>
          <Fact title="Customer since">{formatTime(profile.created_at)}</Fact>
          <Fact title="Account id">
            <span className="flex min-w-0 flex-wrap items-center gap-x-2">
              <code className="min-w-0 wrap-anywhere">{profile.id}</code>
              <Copy text={profile.id} />
            </span>
          </Fact>
        </Facts>
      </Section>
      <Section title="Close the account">
        <div className="card flex flex-wrap items-center justify-between gap-4 p-5">
          <p className="min-w-0 flex-1 basis-[280px] text-muted">
            Nothing is deleted at once. {site?.provider.name ?? 'The provider'} closes it for good after that,
            and can open it again until then.
            {why && <span className="block text-sm">{why}</span>}
          </p>
          <Button why={why} onClick={() => ask(true)}>
            Close the account
          </Button>
        </div>
      </Section>
      {close !== undefined && why === undefined && (
        <CloseAccount account={account} profile={profile} close={() => ask(false)} />
      )}
    </div>
  );
}
