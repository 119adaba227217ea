import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useWhyNot } from '../../data/access.ts';
import {
  isOwned,
  listAddress,
  mainNouns,
  type Noun,
  type NounFamily,
  nounNamed,
  nounsQuery,
  titleOf,
} from '../../data/nouns.ts';
import { pageQuery } from '../../data/product.ts';
import { useAccount } from '../../data/session.ts';
import { NotANoun } from '../../resource/not-a-noun.tsx';
import { Reference } from '../../resource/value.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Loaded, PageHead, Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';

const NEWEST = '8';

export default function FamilyPage() {
  const { family: slug } = useParams({ strict: false }) as { family?: string };
  const query = useQuery(nounsQuery);
  return (
    <Loaded query={query} rows={6}>
      {(families) => {
        const family = families.find((each) => each.slug === slug);
        return family ? <Family key={slug} family={family} families={families} /> : <NotANoun />;
      }}
    </Loaded>
  );
}

function Family({ family, families }: { family: NounFamily; families: readonly NounFamily[] }) {
  const account = useAccount();
  const whyNot = useWhyNot();
  const nouns = mainNouns(family);
  const first = nouns.find(({ rows }) => rows !== undefined);
  const why = whyNot(first?.rows?.operation ?? '');
  const seesAll = whyNot('listResources') === undefined;
  const newest = useQuery({
    ...pageQuery(account, 'resource', '/account/v1/resources', {
      family: family.slug,
      sort: '-created_at',
      limit: NEWEST,
    }),
    enabled: seesAll,
  });
  return (
    <>
      <PageHead title={family.title}>{family.purpose}</PageHead>
      {why !== undefined && (
        <div className="mb-6">
          <Notice tone="warn">{why}</Notice>
        </div>
      )}
      <Nouns title="What you can have" nouns={nouns.filter(isOwned)} />
      {seesAll && (
        <Section title="Newest">
          <Loaded query={newest} rows={3}>
            {({ data }) =>
              data.length === 0 ? (
                <p className="text-muted">There is nothing yet.</p>
              ) : (
                <ul className="card divide-y divide-line">
                  {data.map((row) => {
                    const noun = nounNamed(families, String(row['type']));
                    return (
                      <li
                        key={String(row['id'])}
                        className="flex flex-wrap gap-x-4 gap-y-1 px-4 py-3 md:px-5"
                      >
                        <span className="min-w-0 flex-1 basis-[200px] wrap-anywhere">
                          <Reference id={String(row['id'])} />
                        </span>
                        <span className="text-muted">{noun ? titleOf(noun) : String(row['type'])}</span>
                        <span className="w-[120px] text-sm text-muted md:text-right">
                          <Ago time={String(row['created_at'])} />
                        </span>
                      </li>
                    );
                  })}
                </ul>
              )
            }
          </Loaded>
        </Section>
      )}
      <Nouns title="What the provider offers" nouns={nouns.filter((noun) => !isOwned(noun))} />
    </>
  );
}

function Nouns({ title, nouns }: { title: string; nouns: readonly Noun[] }) {
  if (nouns.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {nouns.map((noun) => (
          <li key={noun.name}>
            <Link to={listAddress(noun)} className="card block h-full px-5 py-4 hover:border-edge">
              <span className="font-medium">{titleOf(noun)}</span>
              <span className="mt-0.5 block text-sm text-muted">{noun.purpose}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
