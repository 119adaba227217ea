import { useQuery } from '@tanstack/react-query';
import { newestResourcesQuery } from '../../data/account-queries.ts';
import { money } from '../../data/money.ts';
import { Place } from '../../data/places.ts';
import type { Account } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Cell, Row, Table } from '../../ui/rows.tsx';
import { Section } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { ResourceLink } from '../resource-link.tsx';

/** The state of a resource is a word of its type: only what is plainly right or wrong has a colour. */
const toneOf = (status: string) =>
  /^(running|ready|active|available|attached|in_use)$/.test(status)
    ? 'good'
    : /error|failed/.test(status)
      ? 'bad'
      : /ing$/.test(status)
        ? 'info'
        : 'plain';

export function NewestResources({ account }: { account: Account }) {
  const resources = useQuery(newestResourcesQuery(account)).data?.data ?? [];
  if (resources.length === 0) return null;
  return (
    <Section title="Newest resources">
      <Table label="Newest resources" columns={['Name', 'Location', 'Price', 'Made', 'Status']}>
        {resources.map((resource) => (
          <Row key={resource.id}>
            <Cell wide free>
              <span className="font-medium">
                <ResourceLink resource={resource} />
              </span>
            </Cell>
            <Cell label="Location">
              {resource.location === null ? (
                <span className="text-muted">none</span>
              ) : (
                <Place slug={resource.location} />
              )}
            </Cell>
            <Cell label="Price">
              {resource.price === null ? (
                <span className="text-muted">free</span>
              ) : (
                `${money(resource.price.monthly, resource.price.currency)} a month`
              )}
            </Cell>
            <Cell label="Made">
              <Ago time={resource.created_at} />
            </Cell>
            <Cell label="Status">
              <Badge tone={toneOf(resource.status)}>{resource.status.replaceAll('_', ' ')}</Badge>
            </Cell>
          </Row>
        ))}
      </Table>
    </Section>
  );
}
