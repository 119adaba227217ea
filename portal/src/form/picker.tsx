import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { get } from '../data/http.ts';
import { indexQuery } from '../data/queries.ts';
import { calls, useAccount } from '../data/session.ts';
import type { List } from '../data/types.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { Facts } from './facts.ts';

export interface Ref {
  readonly list: string;
  readonly value: string;
  readonly label: string;
  readonly except?: readonly string[];
  readonly filters?: Readonly<
    Record<string, { readonly equals?: unknown; readonly from?: string | readonly string[] }>
  >;
}

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly fault: string | undefined;
  readonly optional: boolean;
  readonly reference: Ref;
  readonly value: string | undefined;
  readonly change: (value: unknown) => void;
}

/** A choice from the list that the document names. Where the list cannot be read, the value is typed. */
export function Picker({ reference, value, change, ...shared }: Props) {
  const account = useAccount();
  const { body, path } = useContext(Facts);
  const index = useQuery(indexQuery).data;
  const list = index?.families
    .flatMap(({ resources }) => resources.flatMap(({ operations }) => operations))
    .find(({ id }) => id === reference.list);
  const filters = Object.entries(reference.filters ?? {}).flatMap(([name, { equals, from }]) => {
    const places = [from ?? []].flat();
    const values = from === undefined ? [equals] : places.map((place) => lookUp(place, body, path));
    const found = values.find((one) => one !== undefined && one !== '');
    return found === undefined ? [] : [[name, String(found)] as [string, string]];
  });
  const url =
    list && !list.path.includes('{')
      ? `${calls(account)}${list.path}?${new URLSearchParams([['limit', '100'], ...filters])}`
      : null;
  const query = useQuery({
    queryKey: [account.id, 'pick', url],
    queryFn: ({ signal }) => get<List<Record<string, unknown>>>(url ?? '', signal),
    enabled: url !== null,
    staleTime: 30_000,
  });
  const rows = query.data?.data.filter((row) => !reference.except?.includes(String(row[reference.value])));
  if (rows === undefined)
    return (
      <TextField
        {...shared}
        value={value ?? ''}
        onChange={(event) => change(event.target.value || undefined)}
      />
    );
  return (
    <SelectField
      {...shared}
      value={value ?? ''}
      onChange={(event) => change(event.target.value || undefined)}
    >
      <option value="">
        {rows.length === 0 ? 'There is none yet' : shared.optional ? 'Leave out' : 'Choose'}
      </option>
      {value !== undefined && !rows.some((row) => row[reference.value] === value) && (
        <option value={value}>{value}</option>
      )}
      {rows.map((row) => {
        const [own, label] = [String(row[reference.value]), String(row[reference.label] ?? '')];
        return (
          <option key={own} value={own}>
            {label === '' || label === own ? own : `${label} (${own})`}
          </option>
        );
      })}
    </SelectField>
  );
}

function lookUp(from: string, body: unknown, path: Readonly<Record<string, string>>): unknown {
  if (from.startsWith('path/')) return path[from.slice('path/'.length)];
  return from
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (part, name) => (name === '*' ? undefined : (part as Record<string, unknown> | undefined)?.[name]),
      body,
    );
}
