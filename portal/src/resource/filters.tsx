import type { Query } from '../data/product.ts';
import type { Described, Parameter } from '../form/document.ts';
import { Facts } from '../form/facts.ts';
import { MemberField } from '../form/form.tsx';
import { Button } from '../ui/button.tsx';
import { type Search, useSearchValues, useSetSearch } from './search-values.ts';

/** Parameters of lists that the page itself sets, or that say nothing to people. */
const OWN = new Set(['limit', 'cursor', 'sort', 'ids', 'wait', 'created_after', 'created_before']);
/** On a phone the rows should begin on the first screen. */
const MOST = matchMedia('(max-width: 767px)').matches ? 1 : 3;

export const filtersOf = ({ parameters }: Described, without: readonly string[] = []): readonly Parameter[] =>
  parameters.filter(
    ({ in: place, name }) =>
      place === 'query' && !OWN.has(name) && !name.startsWith('for_') && !without.includes(name),
  );

/** What of the address belongs to the list. */
export const chosenIn = (search: Search, filters: readonly Parameter[]): Query =>
  Object.fromEntries(
    [...filters.map(({ name }) => name), 'sort'].flatMap((name) =>
      search[name] === undefined ? [] : [[name, search[name]]],
    ),
  );

/** States and places first: most people look for these. */
const rank = ({ name, schema }: Parameter): number =>
  name === 'status'
    ? 0
    : name === 'name'
      ? 1
      : schema['enum'] !== undefined
        ? 2
        : name === 'location'
          ? 3
          : 4;

export function Filters({ described, filters }: { described: Described; filters: readonly Parameter[] }) {
  const search = useSearchValues();
  const set = useSetSearch();
  const sorted = filters.toSorted((a, b) => rank(a) - rank(b));
  const isSet = filters.some(({ name }) => search[name] !== undefined);
  const show = ({ name, schema, description }: Parameter) => (
    <MemberField
      key={name}
      name={name}
      schema={{
        ...described.resolve(schema),
        ...(name === 'name' ? { 'x-label': 'Exact name' } : {}),
        description: undefined,
        title: description,
      }}
      isRequired={false}
      value={search[name]}
      change={(value) => set({ [name]: value === undefined ? undefined : String(value) })}
      pointer={`query/${name}`}
    />
  );
  if (filters.length === 0) return null;
  return (
    <Facts
      value={{ resolve: described.resolve, body: search, path: {}, faults: () => undefined, unset: 'Any' }}
    >
      <search aria-label="Filters" className="mb-4 grid gap-3">
        <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
          {sorted.slice(0, MOST).map(show)}
          {isSet && (
            <Button
              kind="quiet"
              className="justify-self-start sm:mt-[26px]"
              onClick={() => set(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
            >
              Clear filters
            </Button>
          )}
        </div>
        {sorted.length > MOST && (
          <details open={sorted.slice(MOST).some(({ name }) => search[name] !== undefined)}>
            <summary className="text-sm text-muted">More filters</summary>
            <div className="mt-3 grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
              {sorted.slice(MOST).map(show)}
            </div>
          </details>
        )}
      </search>
    </Facts>
  );
}
