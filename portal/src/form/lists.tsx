/** Fields of members that are lists and maps of plain values. */
import { useQuery } from '@tanstack/react-query';
import { useContext, useRef } from 'react';
import { operationQuery } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Box } from './box.tsx';
import type { Ref } from './choices.ts';
import { Combobox } from './combobox.tsx';
import { Facts } from './facts.ts';
import { useFault } from './faults.ts';
import { type MemberProps, orLeftOut } from './member.ts';
import { ChoiceControl, ChoiceNotes, noneOf } from './picker.tsx';
import { useChoices } from './use-choices.ts';
import { hintOf, labelOf, valuesOf } from './words.ts';

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function References(props: MemberProps) {
  const { schema, pointer } = props;
  const reference = useContext(Facts).resolve(schema['items'] as MemberProps['schema'])['x-ref'] as Ref;
  const found = useChoices(reference, `${pointer}/`);
  const chosen = listed(props.value).map(String);
  const left = found.choices.filter(({ value }) => !chosen.includes(value));
  return (
    <Chips
      {...props}
      chosen={chosen}
      textOf={(value) => found.choices.find((each) => each.value === value)?.text ?? value}
      notes={<ChoiceNotes found={found} list={reference.list} free={false} />}
    >
      {(control, add) => (
        <ChoiceControl
          control={control}
          found={found}
          left={left}
          value=""
          change={add}
          free={false}
          empty="Add one"
          none={found.choices.length === 0 ? noneOf(reference) : 'All are chosen'}
        />
      )}
    </Chips>
  );
}

/** Event types and patterns of them, from the schema of events. */
export function Events(props: MemberProps) {
  const { data } = useQuery(operationQuery('listEvents'));
  const schemas = (data?.['components'] as { schemas?: Record<string, unknown> } | undefined)?.schemas;
  const event = schemas?.['Event'] as { discriminator?: { mapping: object } } | undefined;
  const types = Object.keys(event?.discriminator?.mapping ?? {});
  const patterns = [...new Set(types.map((type) => `${type.split('.')[0]}.*`))];
  const chosen = listed(props.value).map(String);
  const choices = ['*', ...patterns, ...types]
    .filter((value) => !chosen.includes(value))
    .map((value) => ({ value, text: value === '*' ? '* (all events)' : value }));
  return (
    <Chips {...props} chosen={chosen} textOf={(value) => value}>
      {(control, add) => (
        <Combobox control={control} choices={choices} value="" change={add} free adds placeholder="Add one" />
      )}
    </Chips>
  );
}

type Add = (value: string | undefined) => void;

function Chips(
  props: MemberProps & {
    chosen: readonly string[];
    textOf: (value: string) => string;
    notes?: React.ReactNode;
    children: (control: object, add: Add) => React.ReactNode;
  },
) {
  const { name, schema, isRequired, change, pointer, chosen, textOf, notes, children } = props;
  const { changed } = useContext(Facts);
  const box = useRef<HTMLDivElement>(null);
  const label = labelOf(name, schema);
  const set = (next: readonly string[]): void => {
    changed?.(pointer);
    change(orLeftOut(next, schema));
  };
  return (
    <div ref={box} className="grid gap-2">
      <Field label={label} hint={hintOf(schema)} fault={useFault(pointer)} optional={!isRequired}>
        {(control) =>
          children(control, (value) => {
            if (value !== undefined && !chosen.includes(value)) set([...chosen, value]);
          })
        }
      </Field>
      {notes}
      {chosen.length > 0 && (
        <ul aria-label={`${label}: chosen`} className="flex flex-wrap gap-1.5">
          {chosen.map((value, i) => (
            <Chip
              key={value}
              text={textOf(value)}
              pointer={`${pointer}/${i}`}
              remove={() => {
                set(chosen.filter((each) => each !== value));
                box.current?.querySelector<HTMLElement>('input, select')?.focus();
              }}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function Chip({ text, pointer, remove }: { text: string; pointer: string; remove: () => void }) {
  const fault = useFault(pointer);
  return (
    <li className="min-w-0">
      <span
        className={`flex min-w-0 items-center rounded-md border bg-sunken pl-2.5 text-sm ${fault ? 'border-bad' : 'border-line'}`}
      >
        <span className="min-w-0 wrap-anywhere">{text}</span>
        <button
          type="button"
          className="btn btn-quiet btn-small px-2"
          aria-label={`Remove ${text}`}
          onClick={remove}
        >
          <Icon name="close" />
        </button>
      </span>
      {fault && <p className="text-sm text-bad wrap-anywhere">{fault}</p>}
    </li>
  );
}

/** Several of a few values. */
export function ChoicesOfValues({ name, schema, value, change, pointer, isRequired }: MemberProps) {
  const { resolve, changed } = useContext(Facts);
  const chosen = listed(value);
  const all = valuesOf(resolve(schema['items'] as MemberProps['schema']));
  return (
    <Box label={labelOf(name, schema)} hint={hintOf(schema)} fault={useFault(pointer)} optional={!isRequired}>
      <div className="grid gap-1.5 sm:grid-cols-2">
        {all.map((each) => (
          <label key={each.value} className="flex gap-2.5">
            <input
              type="checkbox"
              className="mt-1 size-4 shrink-0 accent-accent"
              checked={chosen.includes(each.value)}
              onChange={({ target }) => {
                changed?.(pointer);
                const next = all
                  .map((one) => one.value)
                  .filter((one) => (one === each.value ? target.checked : chosen.includes(one)));
                change(next.length === 0 ? undefined : next);
              }}
            />
            <span className="min-w-0">
              <span className="wrap-anywhere">{each.value}</span>
              {each.note && <span className="block text-sm text-muted">{each.note}</span>}
            </span>
          </label>
        ))}
      </div>
    </Box>
  );
}
