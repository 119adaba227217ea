import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { useWhyNot } from '../data/access.ts';
import { filled, type Noun, singularOf } from '../data/nouns.ts';
import { oneQuery, type Query, type Resource } from '../data/product.ts';
import { operationQuery } from '../data/queries.ts';
import { useAccount } from '../data/session.ts';
import { inSentence } from '../data/words.ts';
import { describe } from '../form/document.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNear } from '../ui/near.ts';
import { ProblemNotice } from '../ui/notice.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { chosenIn, Filters, filtersOf } from './filters.tsx';
import { ListedRows, type ListOf } from './listed-rows.tsx';
import { useRows } from './pages-of-list.ts';
import { answerOf, type Shape } from './schema.ts';
import { useSearchValues } from './search-values.ts';

interface Props extends ListOf {
  /** A filter that the page sets itself. */
  readonly fixed?: Query;
}

/** All resources of a noun that match the filters, page by page. */
export function ResourceList(props: Props) {
  const { rows } = props.noun;
  const document = useQuery({ ...operationQuery(rows?.operation ?? ''), enabled: rows !== undefined });
  if (rows === undefined) return null;
  return (
    <Loaded query={document} rows={6}>
      {(json) => <DescribedList {...props} document={json} from={rows} />}
    </Loaded>
  );
}

type Document = Parameters<typeof describe>[0];

function DescribedList({
  document,
  from,
  ...props
}: Props & { document: Document; from: NonNullable<Noun['rows']> }) {
  const described = useMemo(() => describe(document, from.operation), [document, from]);
  const shape = useMemo(() => answerOf(document, from.operation, from.in), [document, from]);
  const sorts = useMemo(() => (described === null ? [] : sortsOf(described)), [described]);
  const whyNot = useWhyNot();
  if (described === null) return null;
  const { above = {}, fixed = {} } = props;
  const path = filled(from.path, above);
  if (from.in !== '/data') return <PartRows {...props} shape={shape} path={path} at={from.in} />;
  const filters = filtersOf(described, Object.keys(fixed));
  return (
    <>
      {/* Who may not read the list is told so, and has nothing to filter. */}
      {whyNot(from.operation) === undefined && (
        <Filters described={described} filters={filters} sorts={sorts} />
      )}
      <ListRows {...props} shape={shape} path={path} filters={filters} sorts={sorts} />
    </>
  );
}

const sortsOf = (described: NonNullable<ReturnType<typeof describe>>): readonly string[] => {
  const sort = described.parameters.find(({ name }) => name === 'sort');
  return sort === undefined ? [] : ((described.resolve(sort.schema)['enum'] ?? []) as readonly string[]);
};

const NONE: readonly Resource[] = [];

/** Rows that are a member of the answer about what they belong to. */
function PartRows(props: Props & { shape: Shape; path: string; at: string }) {
  const { noun, path, at } = props;
  const query = useQuery(oneQuery(useAccount(), noun.name, path));
  const near = useNear();
  return (
    <Loaded query={query} rows={3}>
      {(owner) => {
        const rows = at
          .split('/')
          .slice(1)
          .reduce<unknown>((part, name) => (part as Resource | undefined)?.[name], owner);
        return <ListedRows {...props} near={near} rows={(rows ?? NONE) as readonly Resource[]} />;
      }}
    </Loaded>
  );
}

function ListRows(
  props: Props & {
    shape: Shape;
    path: string;
    filters: ReturnType<typeof filtersOf>;
    sorts: readonly string[];
  },
) {
  const { noun, path, filters, fixed = {} } = props;
  const chosen = chosenIn(useSearchValues(), filters);
  const near = useNear();
  const list = useRows(noun.name, path, { ...chosen, ...fixed }, near);
  const { error, hasMore, isMore, more, retry } = list;
  // What was typed or clicked is shown first, and then the rows that follow from it.
  const rows = useDeferredValue(list.rows ?? null, null);
  if (list.rows === undefined || rows === null)
    return error === null ? <Skeleton rows={6} /> : <ProblemNotice error={error} retry={retry} />;
  const isFiltered = Object.keys(chosen).some((name) => name !== 'sort');
  return (
    <>
      {error !== null && (
        <div className="mb-4">
          <ProblemNotice error={error} retry={retry} />
        </div>
      )}
      <ListedRows {...props} near={near} rows={rows} isFiltered={isFiltered} />
      {hasMore && (
        <div className="mt-4 flex items-center justify-center gap-3">
          <Button busy={isMore} onClick={more}>
            Load more
          </Button>
          <span className="text-sm text-muted">{rows.length} shown</span>
        </div>
      )}
    </>
  );
}

export const CreateLink = ({ noun, to, why }: { noun: Noun; to: string; why: string | undefined }) =>
  why === undefined ? (
    <Link to={to} className="btn btn-primary">
      <Icon name="plus" />
      Create {inSentence(singularOf(noun))}
    </Link>
  ) : (
    <Button kind="primary" why={why}>
      <Icon name="plus" />
      Create {inSentence(singularOf(noun))}
    </Button>
  );
