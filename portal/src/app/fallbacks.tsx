import { Link } from '@tanstack/react-router';
import { ProblemNotice } from '../ui/notice.tsx';
import { Empty, PageHead } from '../ui/states.tsx';

export const NotFound = () => (
  <>
    <PageHead title="Not found" />
    <Empty
      title="There is no such page"
      act={
        <Link to="/" className="btn btn-plain">
          Go to the first page
        </Link>
      }
    >
      The address may be mistyped, or the page has moved. Ctrl K finds every page and every operation.
    </Empty>
  </>
);

export const Failed = ({ error, reset }: { error: unknown; reset: () => void }) => (
  <>
    <PageHead title="This page failed" />
    <ProblemNotice error={error} retry={reset} />
  </>
);
