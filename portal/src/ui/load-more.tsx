import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from './button.tsx';
import { ProblemNotice } from './notice.tsx';

/** For the end of a list: the next page, if there is one. */
export function LoadMore({
  query,
}: {
  query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error' | 'fetchNextPage'
  >;
}) {
  if (!query.hasNextPage) return null;
  return (
    <div className="mt-4 grid justify-items-center gap-3">
      {query.isFetchNextPageError && <ProblemNotice error={query.error} />}
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Load more
      </Button>
    </div>
  );
}
