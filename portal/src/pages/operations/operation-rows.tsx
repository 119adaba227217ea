import { Link } from '@tanstack/react-router';
import type { Operation } from '../../data/types.ts';
import { Badge } from '../../ui/badge.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Ago } from '../../ui/time.tsx';
import { useSteady } from '../../ui/use-steady.ts';
import { useTitle } from './title.ts';
import { hasEnded, noteOf, toneOf } from './words.ts';

/** Operations below each other. Those that run show their step and their time, second by second. */
export function OperationRows({ operations, label }: { operations: readonly Operation[]; label: string }) {
  const { rows, hold } = useSteady(operations);
  return (
    <ul aria-label={label} className="card divide-y divide-line" {...hold}>
      {rows.map((operation) => (
        <OperationRow key={operation.id} operation={operation} />
      ))}
    </ul>
  );
}

function OperationRow({ operation }: { operation: Operation }) {
  const title = useTitle(operation);
  return (
    <li>
      <Link
        to="/operations/$id"
        params={{ id: operation.id }}
        className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 outline-offset-[-2px] hover:bg-canvas md:px-5"
      >
        <span className="min-w-0 flex-1 basis-[240px]">
          <span className="block font-medium wrap-anywhere">{title}</span>
          <span className="block text-sm text-muted wrap-anywhere empty:hidden">{noteOf(operation)}</span>
        </span>
        {!hasEnded(operation) && (
          <span className="w-24 max-sm:hidden">
            <Progress
              label={`Progress of ${title}`}
              percent={operation.started_at === null ? 0 : operation.progress_percent}
            />
          </span>
        )}
        <Badge tone={toneOf(operation.status)}>{operation.status}</Badge>
        <span className="text-sm text-muted md:w-[150px] md:text-right">
          {operation.finished_at === null ? (
            <Elapsed
              from={operation.started_at ?? operation.created_at}
              to={null}
              typical={operation.started_at === null ? null : operation.expected_seconds}
            />
          ) : (
            <Ago time={operation.finished_at} />
          )}
        </span>
      </Link>
    </li>
  );
}
