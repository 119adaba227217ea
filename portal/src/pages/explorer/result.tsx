import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { Code } from '../../ui/code.tsx';
import { type Outcome, startedIn } from './call.ts';
import { ForeseenChanges } from './foreseen-changes.tsx';

export function Result({ outcome }: { outcome: Outcome }) {
  const { status, statusText, headers, text, milliseconds, isDryRun } = outcome;
  const operation = startedIn(outcome);
  return (
    <section aria-label="Answer" className="grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-3">
        <Badge tone={status < 300 ? 'good' : status < 500 ? 'warn' : 'bad'}>
          {status} {statusText}
        </Badge>
        {isDryRun && (
          <Badge tone="info" dot={false}>
            dry run: {status < 300 ? 'nothing was changed' : 'the real call would fail too'}
          </Badge>
        )}
        <span className="text-sm text-muted">{milliseconds} ms</span>
        {operation && (
          <Link className="link text-sm" to="/operations/$id" params={{ id: operation }}>
            Follow the operation
          </Link>
        )}
      </p>
      <ForeseenChanges outcome={outcome} />
      <Code title="Answer" text={text === '' ? '(no body)' : text} tall wrap />
      <details className="card px-4 py-2.5">
        <summary className="text-sm text-muted">{headers.length} headers</summary>
        <dl className="mt-2 grid gap-1">
          {headers.map(([name, value]) => (
            <div key={name} className="flex flex-wrap gap-x-2 text-sm">
              <dt>
                <code>{name}:</code>
              </dt>
              <dd className="min-w-0">
                <code className="break-all text-muted">{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}
