import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { limitsQuery } from '../data/account-queries.ts';
import type { Limit } from '../data/account-types.ts';
import { usePlaces } from '../data/places.ts';
import { siteQuery, useAccount } from '../data/session.ts';
import { inSentence, spoken } from '../data/words.ts';
import { SelectField } from '../ui/field.tsx';
import { Filters } from '../ui/filters.tsx';
import { Progress } from '../ui/progress.tsx';
import { Cell, Row, Table } from '../ui/rows.tsx';
import { Empty, Loaded, PageHead } from '../ui/states.tsx';

/** From here on a limit is worth a look. */
const NEAR = 80;

const partOf = ({ limit, used }: Limit): number =>
  limit === null ? -1 : limit === 0 ? (used > 0 ? 100 : 0) : (used / limit) * 100;

const scopes: Readonly<Record<string, string>> = {
  parent: 'for each parent; the fullest is shown',
  location: 'in each location',
};

export default function Limits() {
  const account = useAccount();
  const query = useQuery(limitsQuery(account));
  const site = useQuery(siteQuery).data;
  const { family } = useSearch({ strict: false }) as { family?: string };
  const navigate = useNavigate();
  return (
    <>
      <PageHead
        title="Limits"
        act={
          site?.provider.support_url && (
            <a href={site.provider.support_url} className="btn btn-plain">
              Ask for more
            </a>
          )
        }
      >
        How much of each thing the account may have, and has. What is nearly full comes first.
      </PageHead>
      <Loaded query={query} rows={8}>
        {(limits) => {
          const families = [...new Set(limits.map((each) => each.family))];
          const shown = limits
            .filter((each) => family === undefined || each.family === family)
            .toSorted((a, b) => partOf(b) - partOf(a) || a.name.localeCompare(b.name));
          return (
            <>
              <Filters label="Filter limits">
                <SelectField
                  label="Product"
                  value={family ?? ''}
                  onChange={(event) =>
                    void navigate({
                      to: '/limits',
                      search: (event.target.value === '' ? {} : { family: event.target.value }) as Record<
                        string,
                        string
                      >,
                      replace: true,
                    })
                  }
                >
                  <option value="">All</option>
                  {families.map((each) => (
                    <option key={each} value={each}>
                      {spoken(each)}
                    </option>
                  ))}
                </SelectField>
              </Filters>
              {shown.length === 0 ? (
                <Empty title="No limit fits" />
              ) : (
                <Table label="Limits" columns={['What', 'Used', 'Of']}>
                  {shown.map((limit) => (
                    <LimitRow key={`${limit.id} ${limit.location}`} limit={limit} />
                  ))}
                </Table>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function LimitRow({ limit: row }: { limit: Limit }) {
  const { name, family, unit, limit, used, location, scope, raisable, maximum_on_request: most } = row;
  const part = partOf(row);
  const placed = usePlaces();
  const isFull = limit !== null && used >= limit;
  const raise = !raisable
    ? ''
    : most === null
      ? 'can be raised'
      : `up to ${most.toLocaleString('en-GB')} on request`;
  return (
    <Row>
      <Cell
        wide
        free
        quiet={[spoken(family), location === null ? scopes[scope] : placed(location)]
          .filter(Boolean)
          .join(', ')}
      >
        <span className="font-medium">{name}</span>
      </Cell>
      <Cell label="Used">
        <span className="grid max-w-[280px] gap-1.5">
          <span className={isFull ? 'font-medium text-bad' : part >= NEAR ? 'font-medium text-warn' : ''}>
            {used.toLocaleString('en-GB')}
            {limit !== null && <span className="text-muted"> ({Math.floor(part)} %)</span>}
            {isFull && used > 0 && ', full'}
          </span>
          {limit !== null && (
            <Progress
              label={`${name}, used`}
              percent={part}
              tone={isFull ? 'bad' : part >= NEAR ? 'warn' : 'info'}
            />
          )}
        </span>
      </Cell>
      <Cell label="Of" quiet={raise}>
        {limit === null ? 'no limit' : `${limit.toLocaleString('en-GB')} ${inSentence(spoken(unit))}`}
      </Cell>
    </Row>
  );
}
