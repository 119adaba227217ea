import { useContext, useState } from 'react';
import type { Described, Parameter } from '../../form/document.ts';
import { Facts } from '../../form/facts.ts';
import { MemberField } from '../../form/form.tsx';

type Values = Readonly<Record<string, unknown>>;

/** What the explorer sets itself. */
const HIDDEN = new Set(['dry_run']);
/** What says something to calls with a key only. */
const OF_KEYS = new Set(['Approval-Id']);

export function Parameters(props: {
  title: string;
  place: 'path' | 'query' | 'header';
  withKey: boolean;
  described: Described;
  values: Values;
  change: (values: Values) => void;
}) {
  const { title, place, withKey, described, values, change } = props;
  const { isFaulty } = useContext(Facts);
  const [open, setOpen] = useState(false);
  const all = described.parameters.filter(
    ({ in: own, name }) => own === place && !HIDDEN.has(name) && (withKey || !OF_KEYS.has(name)),
  );
  if (all.length === 0) return null;
  const show = (parameter: Parameter) => (
    <MemberField
      key={parameter.name}
      name={parameter.name}
      schema={{
        ...parameter.schema,
        description: parameter.description,
        ...(place === 'header' ? { 'x-label': parameter.name } : {}),
      }}
      isRequired={parameter.required === true}
      value={values[parameter.name]}
      change={(value) => {
        const { [parameter.name]: _, ...rest } = values;
        change(value === undefined ? rest : { ...rest, [parameter.name]: value });
      }}
      pointer={`${place}/${parameter.name}`}
    />
  );
  const needed = all.filter(({ required }) => required);
  const rest = all.filter(({ required }) => !required);
  const isWrong = rest.some(({ name }) => isFaulty?.(`${place}/${name}`));
  return (
    <section aria-label={title} className="grid gap-3">
      <h2 className="text-lg">{title}</h2>
      {needed.map(show)}
      {rest.length > 0 && (
        <details
          open={open || isWrong}
          onToggle={(event) => setOpen(event.currentTarget.open)}
          className="rounded-md border border-line px-3.5 py-2.5"
        >
          <summary className="text-sm text-muted">{rest.length} optional</summary>
          <div className="mt-3 grid gap-4">{rest.map(show)}</div>
        </details>
      )}
    </section>
  );
}
