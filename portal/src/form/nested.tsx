/** Members that have members of their own. */
import { type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { spoken } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { RadioCard } from '../ui/radio-card.tsx';
import { Box } from './box.tsx';
import type { Schema } from './document.ts';
import { Facts } from './facts.ts';
import { useFault } from './faults.ts';
import { Cards } from './fields.tsx';
import { type Change, type FormProps, type MemberProps, orLeftOut } from './member.ts';
import { membersOf, requiredOf } from './when.ts';
import { hintOf, labelOf } from './words.ts';

type Obj = Readonly<Record<string, unknown>>;

/** The form of an object is in the file that uses this one. */
type Nested = MemberProps & { readonly Form: (props: FormProps) => ReactNode };

/** Shown at once if it can be filled in part; a group that is sent as a whole or not at all has a button first. */
export function Group({ Form, name, schema, value, change, pointer, isRequired }: Nested) {
  const { changed } = useContext(Facts);
  const label = labelOf(name, schema);
  const fault = useFault(pointer);
  const isWhole = !isRequired && requiredOf(schema).length > 0;
  if (isWhole && (value === undefined || value === null))
    return (
      <div className="grid gap-1 justify-items-start">
        <Button
          small
          onClick={() => {
            changed?.(pointer);
            change({});
          }}
        >
          <Icon name="plus" /> {label}
        </Button>
        {fault && <p className="text-sm text-bad wrap-anywhere">{fault}</p>}
        <p className="text-sm text-muted">{hintOf(schema)}</p>
      </div>
    );
  const set: Change = (next) =>
    change(isRequired || isWhole || Object.keys(next as Obj).length > 0 ? next : undefined);
  return (
    <Box label={label} hint={hintOf(schema)} fault={fault} frame>
      <Form schema={schema} value={value} change={set} pointer={pointer} />
      {isWhole && (
        <Button
          small
          kind="quiet"
          className="justify-self-start"
          onClick={() => {
            changed?.(pointer);
            change(undefined);
          }}
        >
          Leave out {label.toLowerCase()}
        </Button>
      )}
    </Box>
  );
}

export function Alternatives({ Form, name, schema, value, change, pointer, isRequired }: Nested) {
  const { resolve, changed } = useContext(Facts);
  const { propertyName, mapping } = schema['discriminator'] as {
    propertyName: string;
    mapping: Record<string, string>;
  };
  const id = useId();
  const own = (value ?? {}) as Obj;
  const all = Object.entries(mapping).map(([key, $ref]) => {
    const found = resolve({ $ref });
    const { [propertyName]: deciding, ...properties } = membersOf(found);
    const note = hintOf(deciding === undefined ? {} : resolve(deciding));
    return { key, note, schema: { ...found, properties } };
  });
  const given = (schema['default'] as Obj | undefined)?.[propertyName];
  const chosen = String(own[propertyName] ?? given ?? '');
  const found = all.find(({ key }) => key === chosen);
  const choose = (key: string): void => {
    changed?.(pointer);
    change(key === '' ? undefined : { [propertyName]: key });
  };
  const only = isRequired && all.length === 1 && chosen === '' ? all[0]?.key : undefined;
  useEffect(() => {
    if (only !== undefined) change({ [propertyName]: only });
  });
  const deciding = useFault(`${pointer}/${propertyName}`);
  const isCards = all.length <= 5 && (isRequired || given !== undefined);
  return (
    <Box label={labelOf(name, schema)} hint={hintOf(schema)} fault={useFault(pointer)} frame>
      {isCards ? (
        <Cards label={spoken(propertyName)} hint="" fault={deciding} optional={false}>
          {all.map(({ key, note }) => (
            <RadioCard
              key={key}
              name={id}
              title={spoken(key)}
              note={note}
              checked={key === chosen}
              choose={() => choose(key)}
            />
          ))}
        </Cards>
      ) : (
        <SelectField
          label={spoken(propertyName)}
          hint={found?.note}
          fault={deciding}
          optional={!isRequired}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">{isRequired ? 'Choose' : 'Leave out'}</option>
          {all.map(({ key }) => (
            <option key={key} value={key}>
              {spoken(key)}
            </option>
          ))}
        </SelectField>
      )}
      {found && Object.keys(found.schema.properties).length > 0 && (
        <Form
          schema={found.schema}
          value={own}
          change={(next) => change({ [propertyName]: chosen, ...(next as Obj) })}
          pointer={pointer}
        />
      )}
    </Box>
  );
}

/** "Private networks" has "Private network 2" in it. */
const titleOf = (label: string, number: number): string =>
  `${/[^s]s$/.test(label) ? label.slice(0, -1) : 'Number'} ${number}`;

export function Items({ Form, name, schema, value, change, pointer, isRequired }: Nested) {
  const { resolve, changed } = useContext(Facts);
  const box = useRef<HTMLDivElement>(null);
  const items = Array.isArray(value) ? value : [];
  // A removal shifts the items below it: their fields are made anew.
  const [removals, setRemovals] = useState(0);
  const item = resolve(schema['items'] as Schema);
  const label = labelOf(name, schema);
  const set = (next: readonly unknown[]): void => {
    changed?.(pointer);
    change(orLeftOut(next, schema));
  };
  const addButton = (): HTMLElement | null | undefined => box.current?.querySelector(':scope > .btn');
  return (
    <Box label={label} hint={hintOf(schema)} fault={useFault(pointer)} optional={!isRequired} frame>
      <div ref={box} className="grid grid-cols-1 gap-3">
        {items.map((each, i) => (
          <Item
            key={`${removals} ${
              // biome-ignore lint/suspicious/noArrayIndexKey: the number of removals makes it right.
              i
            }`}
            Form={Form}
            title={titleOf(label, i + 1)}
            schema={item}
            value={each}
            pointer={`${pointer}/${i}`}
            change={(next) => change(items.toSpliced(i, 1, next))}
            remove={() => {
              set(items.toSpliced(i, 1));
              setRemovals(removals + 1);
              addButton()?.focus();
            }}
          />
        ))}
        <Button
          small
          className="justify-self-start"
          onClick={() => {
            set([...items, {}]);
            requestAnimationFrame(() =>
              [...(box.current?.querySelectorAll<HTMLElement>(':scope > fieldset') ?? [])]
                .at(-1)
                ?.querySelector<HTMLElement>('input, select, textarea')
                ?.focus(),
            );
          }}
        >
          <Icon name="plus" /> Add<span className="sr-only"> to {label}</span>
        </Button>
      </div>
    </Box>
  );
}

function Item(props: {
  Form: Nested['Form'];
  title: string;
  schema: Schema;
  value: unknown;
  pointer: string;
  change: Change;
  remove: () => void;
}) {
  const { Form, title, schema, value, pointer, change, remove } = props;
  return (
    <Box label={title} fault={useFault(pointer)} frame>
      <Form schema={schema} value={value} change={change} pointer={pointer} />
      <Button small kind="quiet" className="justify-self-start" onClick={remove}>
        Remove {title.charAt(0).toLowerCase() + title.slice(1)}
      </Button>
    </Box>
  );
}
