import type { Operation } from '../data/types.ts';
import { spoken } from '../data/words.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Section } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';

const MOST = 5;

const toneOf = (status: string): Tone =>
  status === 'succeeded'
    ? 'good'
    : status === 'failed'
      ? 'bad'
      : status === 'cancelled'
        ? 'plain'
        : status === 'cancelling'
          ? 'warn'
          : 'info';

/** `vm.create` on web-1 is "Create VM web-1". */
function titleOf({ type, resource }: Operation): string {
  const [noun = '', verb = ''] = type.split('.');
  return `${spoken(verb)} ${spoken(noun).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())} ${resource.name ?? resource.id ?? ''}`;
}

const waits: Readonly<Record<string, string>> = {
  queue: 'Waits for earlier work',
  children: 'Waits for its parts',
  users: 'Waits until nothing uses it',
  retry: 'Waits before the next try',
};

const noteOf = ({ status, step, progress_percent, waiting_for, error }: Operation): string => {
  if (error !== null) return error.detail;
  if (waiting_for !== null) return waits[waiting_for] ?? `Waits for ${waiting_for}`;
  if (status !== 'running') return '';
  return [spoken(step), ...(progress_percent === null ? [] : [`${progress_percent} %`])].join(', ');
};

/** The newest operations. Those that run show how far they are; requests for approval have a page of their own. */
export function LatestWork({ operations }: { operations: readonly Operation[] }) {
  const shown = operations.filter(({ type }) => type !== 'approval.request').slice(0, MOST);
  if (shown.length === 0) return null;
  return (
    <Section title="Latest work">
      <ul className="card divide-y divide-line">
        {shown.map((operation) => (
          <li key={operation.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 md:px-5">
            <div className="min-w-0 flex-1 basis-[240px]">
              <p className="font-medium break-words">{titleOf(operation)}</p>
              <p className="text-sm break-words text-muted empty:hidden">{noteOf(operation)}</p>
            </div>
            <Badge tone={toneOf(operation.status)}>{operation.status}</Badge>
            <span className="text-sm text-muted md:w-[120px] md:text-right">
              <Ago time={operation.finished_at ?? operation.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
