import { useQuery } from '@tanstack/react-query';
import type { Usage, UsageGroup } from '../../data/account-types.ts';
import { money } from '../../data/money.ts';
import { usePlaces } from '../../data/places.ts';
import { indexQuery } from '../../data/queries.ts';
import type { Account } from '../../data/types.ts';
import { count, inSentence, spoken } from '../../data/words.ts';
import { Progress } from '../../ui/progress.tsx';
import { Cell, Row, Table } from '../../ui/rows.tsx';
import { Empty } from '../../ui/states.tsx';
import { ResourceLink } from '../resource-link.tsx';

/** Products by their titles. */
export function useGroupWords(): (key: UsageGroup['key']) => string | null {
  const families = useQuery(indexQuery).data?.families ?? [];
  const placed = usePlaces();
  return ({ family, resource_type: type, location = null }) => {
    if (type !== undefined) return spoken(type);
    if (family === undefined) return location && placed(location);
    const title = families.find(({ name }) => name.toLowerCase().replaceAll(' ', '-') === family)?.name;
    return title ?? spoken(family);
  };
}

/** With words where there is nothing. */
function Name({ group: { key } }: { group: UsageGroup }) {
  const words = useGroupWords();
  if (key.resource_id !== undefined)
    return <ResourceLink resource={{ type: key.resource_type ?? '', id: key.resource_id, name: null }} />;
  if ('label_value' in key) return key.label_value ?? <span className="text-muted">Without this label</span>;
  return words(key) ?? <span className="text-muted">In no location</span>;
}

type Quantity = UsageGroup['quantities'][number];

function amountOf({ quantity, unit }: Quantity): string {
  const amount = Number(quantity).toLocaleString('en-GB', { maximumFractionDigits: 1 });
  const words = inSentence(spoken(unit));
  return `${amount} ${amount === '1' || /GB$|s$/.test(words) ? words : `${words}s`}`;
}

/** Of one resource, these are nearly always all. */
const NAMED = 3;

/** What was used, in the words of the price list: what is paid for first. */
function Used({ group }: { group: UsageGroup }) {
  const quantities = group.quantities.toSorted((a, b) => Number(b.billable) - Number(a.billable));
  const shown = quantities.slice(0, NAMED);
  return (
    <ul className="text-sm text-muted">
      {shown.map((each) => (
        <li key={each.sku}>
          {each.name}: {amountOf(each)}
        </li>
      ))}
      {quantities.length > NAMED && <li>{count(quantities.length - NAMED, 'item')} more</li>}
    </ul>
  );
}

const MOST = 100;

export function Breakdown({ report }: { account: Account; report: Usage }) {
  const groups = [...report.groups].sort((a, b) => Number(b.cost) - Number(a.cost));
  const total = Number(report.accrued.total);
  if (groups.length === 0)
    return <Empty title="Nothing was used">Costs appear here within minutes of the first resource.</Empty>;
  return (
    <>
      <Table label="Cost" columns={['What', 'Used', 'Share', 'Cost']}>
        {groups.slice(0, MOST).map((group) => {
          const share = total === 0 ? 0 : (Number(group.cost) / total) * 100;
          return (
            <Row key={JSON.stringify(group.key)}>
              <Cell wide free>
                <span className="font-medium">
                  <Name group={group} />
                </span>
              </Cell>
              <Cell label="Used" free>
                <Used group={group} />
              </Cell>
              <Cell label="Share">
                <span className="flex items-center gap-3">
                  <span className="w-full max-w-[120px] min-w-10">
                    <Progress label="Share of the cost" percent={share} />
                  </span>
                  <span className="text-sm text-muted">{Math.round(share)} %</span>
                </span>
              </Cell>
              <Cell label="Cost">
                <span className="font-medium whitespace-nowrap">{money(group.cost, report.currency)}</span>
              </Cell>
            </Row>
          );
        })}
      </Table>
      {(groups.length > MOST || report.next_cursor !== null) && (
        <p className="mt-3 text-sm text-muted">
          The {MOST} dearest of {report.next_cursor === null ? groups.length : `more than ${groups.length}`}{' '}
          are shown.
        </p>
      )}
    </>
  );
}
