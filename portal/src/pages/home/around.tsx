import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { indexQuery } from '../../data/queries.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { Section } from '../../ui/states.tsx';

export function Around() {
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
