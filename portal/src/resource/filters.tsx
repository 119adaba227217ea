import { useState } from 'react';
import type { Query } from '../data/product.ts';
import type { Described, Parameter } from '../form/document.ts';
import { Facts } from '../form/facts.ts';
import { MemberField } from '../form/form.tsx';
import { headOf, orderOf } from '../form/words.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
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

interface Props {
  readonly described: Described;
  readonly filters: readonly Parameter[];
  /** The orders that the list can have, its own first. */
  readonly sorts: readonly string[];
}

export function Filters({ described, filters, sorts }: Props) {
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
        // What is chosen is named by its name, not by its id.
        'x-label': name === 'name' ? 'Exact name' : headOf(name, schema),
        description: undefined,
        title: description,
      }}
      isRequired={false}
      value={search[name]}
      change={(value) => set({ [name]: value === undefined ? undefined : String(value) })}
      pointer={`query/${name}`}
    />
  );
  if (filters.length === 0 && sorts.length < 2) return null;
  return (
    <Facts
      value={{ resolve: described.resolve, body: search, path: {}, faults: () => undefined, unset: 'Any' }}
    >
      <search aria-label="Filters" className="mb-4 grid gap-3">
        <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
          {sorted.slice(0, MOST).map(show)}
          {sorts.length > 1 && (
            <SelectField
              label="Order"
              value={search['sort'] ?? sorts[0] ?? ''}
              onChange={({ target }) => set({ sort: target.value === sorts[0] ? undefined : target.value })}
            >
              {sorts.map((sort) => (
                <option key={sort} value={sort}>
                  {orderOf(sort)}
                </option>
              ))}
            </SelectField>
          )}
          {isSet && (
            <Button
              kind="quiet"
              className="self-end justify-self-start"
              onClick={() => set(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
            >
              Clear filters
            </Button>
          )}
        </div>
        {sorted.length > MOST && (
          <More isSet={sorted.slice(MOST).some(({ name }) => search[name] !== undefined)}>
            {sorted.slice(MOST).map(show)}
          </More>
        )}
      </search>
    </Facts>
  );
}

/** Opens by itself when one of its filters is set, and stays open while somebody works in it. */
function More({ isSet, children }: { isSet: boolean; children: React.ReactNode }) {
  const [open, setOpen] = useState(isSet);
  const [wasSet, setWasSet] = useState(isSet);
  if (isSet !== wasSet) {
    setWasSet(isSet);
    if (isSet) setOpen(true);
  }
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-sm text-muted">More filters</summary>
      <div className="mt-3 grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">{children}</div>
    </details>
  );
}
