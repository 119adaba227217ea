import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { operationKindsQuery } from '../../data/account-queries.ts';
import type { Operation } from '../../data/types.ts';
import { Progress } from '../../ui/progress.tsx';
import { Steps } from '../operations/steps.tsx';
import { noteOf } from '../operations/words.ts';

/** How far the work on something is: its steps, its part that is done, and how long it usually takes. */
export function Work({ title, operation }: { title: string; operation: Operation }) {
  const kinds = useQuery(operationKindsQuery).data?.data;
  const { progress_percent: percent, started_at, id } = operation;
  return (
    <section aria-label={title} className="mb-6 grid gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p>
          <strong className="font-medium">{title}</strong>{' '}
          <span className="text-muted">{noteOf(operation)}</span>
        </p>
        <Link to="/operations/$id" params={{ id }} className="link text-sm">
          Follow or cancel it
        </Link>
      </div>
      <Progress label={title} percent={started_at === null ? 0 : percent} />
      <Steps operation={operation} kind={kinds?.find(({ type }) => type === operation.type)} />
    </section>
  );
}
