import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { addressOf, filled, nounNamed } from '../../../data/nouns.ts';
import { Place } from '../../../data/places.ts';
import { oneQuery, type Resource } from '../../../data/product.ts';
import { useAccount } from '../../../data/session.ts';
import { formatNumber } from '../../../data/sizes.ts';
import type { Found } from '../../../resource/tabs.tsx';
import { Copy } from '../../../ui/code.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { NewestBackup } from '../backups/newest-backup.tsx';

/** What people come for: how to reach the machine, and what it is. */
export default function Overview({ found }: { found: Found }) {
  const { row, noun, families, path } = found;
  const image = row['image'] as Resource | null;
  const ipv4 = row['primary_ipv4'] as string | null;
  const ipv6 = row['primary_ipv6'] as string | null;
  const user = useDefaultUser(found, image);
  const reached = ipv4 ?? ipv6;
  const vcpus = Number(row['vcpus']);
  return (
    <section aria-label="In short" className="card mb-6 grid md:grid-cols-2">
      <dl className="grid content-start gap-4 p-4 md:p-5">
        <Fact title="Public IPv4 address">{ipv4 ? <Address text={ipv4} /> : <None />}</Fact>
        <Fact title="Public IPv6 address">{ipv6 ? <Address text={ipv6} /> : <None />}</Fact>
        {reached !== null && user !== undefined && (
          <Fact title="Sign in with SSH">
            <Address text={`ssh ${user}@${reached}`} />
          </Fact>
        )}
        <Fact title="Newest backup">
          <NewestBackup found={found} />
        </Fact>
      </dl>
      <div className="grid content-start gap-4 border-line p-4 max-md:border-t md:border-l md:p-5">
        <dl className="grid gap-4">
          <Fact title="Size">
            {vcpus} {vcpus === 1 ? 'vCPU' : 'vCPUs'} · {formatNumber(Number(row['memory_mb']), 'MB')} memory ·{' '}
            {formatNumber(Number(row['disk_gb']), 'GB')} disk
            <span className="block text-sm text-muted">Plan {String(row['plan'])}</span>
          </Fact>
          <Fact title="System">{image === null ? <None /> : String(image['name'])}</Fact>
          <Fact title="Location">
            <Place slug={String(row['location'])} />
          </Fact>
        </dl>
        <Link
          to={addressOf(noun, families, String(path['id'] ?? row['id']))}
          search={{ tab: 'console' }}
          className="btn btn-plain justify-self-start"
        >
          <Icon name="screen" /> Go to the console
        </Link>
      </div>
    </section>
  );
}

/** The user that the image sets keys and passwords for. */
function useDefaultUser({ families }: Found, image: Resource | null): string | undefined {
  const account = useAccount();
  const noun = nounNamed(families, 'image');
  const id = String(image?.['id'] ?? '');
  const { data } = useQuery({
    ...oneQuery(account, 'image', filled(noun?.read?.path ?? '', { id })),
    enabled: noun?.read !== undefined && id !== '',
    staleTime: 300_000,
  });
  return data && String(data['default_user']);
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <dt className="text-xs text-faint">{title}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </div>
);

const Address = ({ text }: { text: string }) => (
  <span className="flex flex-wrap items-center gap-x-2">
    <code className="min-w-0 wrap-anywhere">{text}</code>
    <Copy text={text} className="btn btn-quiet btn-small -my-1" />
  </span>
);

const None = () => <span className="text-muted">None</span>;
