/** Fields of members that have one value. */
import { useContext, useId, useRef, useState } from 'react';
import { spoken } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, Field, SelectField } from '../ui/field.tsx';
import { RadioCard } from '../ui/radio-card.tsx';
import { Box } from './box.tsx';
import { Facts } from './facts.ts';
import { useFault } from './faults.ts';
import type { MemberProps } from './member.ts';
import { hintOf, labelOf, localTime, unitOf, utcTime, valuesOf } from './words.ts';

const FEW = 4;

const useShared = ({ name, schema, isRequired, pointer }: MemberProps) => ({
  label: labelOf(name, schema),
  hint: hintOf(schema),
  fault: useFault(pointer),
  optional: useContext(Facts).unset === undefined && !isRequired,
});

const placeholderOf = ({ default: given }: MemberProps['schema']): string | undefined =>
  given === undefined || given === null || given === '' ? undefined : String(given);

export function Text(props: MemberProps) {
  const { schema, value, change } = props;
  const type = { email: 'email', uri: 'url' }[String(schema['format'])] ?? 'text';
  return (
    <Field {...useShared(props)}>
      {(control) => (
        <Suffixed unit={unitOf(schema)}>
          <input
            {...control}
            className="input"
            inputMode={type === 'text' ? undefined : (type as 'email' | 'url')}
            autoComplete="off"
            spellCheck={schema['pattern'] === undefined && type === 'text'}
            placeholder={placeholderOf(schema)}
            value={typeof value === 'string' ? value : ''}
            onChange={(event) => change(event.target.value || undefined)}
          />
        </Suffixed>
      )}
    </Field>
  );
}

export function NumberField(props: MemberProps) {
  const { schema, value, change } = props;
  return (
    <Field {...useShared(props)}>
      {(control) => (
        <Suffixed unit={unitOf(schema)}>
          <input
            {...control}
            className="input"
            type="number"
            step={schema['type'] === 'integer' ? 1 : 'any'}
            min={schema['minimum'] as number | undefined}
            max={schema['maximum'] as number | undefined}
            placeholder={placeholderOf(schema)}
            value={typeof value === 'number' ? value : ''}
            onChange={(event) => change(event.target.value === '' ? undefined : Number(event.target.value))}
          />
        </Suffixed>
      )}
    </Field>
  );
}

function Suffixed({ unit, children }: { unit: string | undefined; children: React.ReactNode }) {
  if (unit === undefined) return children;
  return (
    <span className="flex items-center gap-2.5">
      {children}
      <span className="shrink-0 text-sm text-muted">{unit}</span>
    </span>
  );
}

export function Time(props: MemberProps) {
  const { value, change } = props;
  const { hint, ...shared } = useShared(props);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Field {...shared} hint={`${hint} In your time zone, ${zone}.`.trim()}>
      {(control) => (
        <input
          {...control}
          className="input"
          type="datetime-local"
          value={localTime(value)}
          onChange={(event) => change(utcTime(event.target.value))}
        />
      )}
    </Field>
  );
}

export function Secret(props: MemberProps) {
  const { value, change } = props;
  const [isShown, setShown] = useState(false);
  return (
    <Field {...useShared(props)}>
      {(control) => (
        <span className="flex gap-2">
          <input
            {...control}
            className="input font-mono"
            type={isShown ? 'text' : 'password'}
            autoComplete="off"
            spellCheck={false}
            value={typeof value === 'string' ? value : ''}
            onChange={(event) => change(event.target.value || undefined)}
          />
          <Button aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        </span>
      )}
    </Field>
  );
}

/** Keys and user data: pasted, or taken from a file. */
export function LongText(props: MemberProps) {
  const { schema, value, change } = props;
  const [complaint, setComplaint] = useState<string>();
  const shared = useShared(props);
  const file = useRef<HTMLInputElement>(null);
  const read = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    const text = await chosen.text();
    const isText = !text.includes('\uFFFD');
    setComplaint(isText ? undefined : `${chosen.name} is no text.`);
    if (isText) change(text || undefined);
  };
  return (
    <div className="grid gap-2">
      <Field {...shared} fault={complaint ?? shared.fault}>
        {(control) => (
          <textarea
            {...control}
            className="input font-mono text-sm"
            rows={4}
            spellCheck={false}
            placeholder={placeholderOf(schema)}
            value={typeof value === 'string' ? value : ''}
            onChange={(event) => {
              setComplaint(undefined);
              change(event.target.value || undefined);
            }}
          />
        )}
      </Field>
      <Button small className="justify-self-start" onClick={() => file.current?.click()}>
        From a file
      </Button>
      <input
        ref={file}
        type="file"
        hidden
        onChange={({ target }) => {
          void read(target.files?.[0]);
          target.value = '';
        }}
      />
    </div>
  );
}

/** Without a default, leaving it out is a third choice. */
export function Flag(props: MemberProps) {
  const { schema, value, change, isRequired } = props;
  const shared = useShared(props);
  const { patch, unset = 'Leave out' } = useContext(Facts);
  const [wasOpen] = useState(value === undefined);
  const isOpen = wasOpen && !isRequired && (patch || typeof schema['default'] !== 'boolean');
  if (!isOpen)
    return (
      <CheckField
        {...shared}
        checked={(value ?? schema['default'] ?? false) === true}
        onChange={(event) => change(event.target.checked)}
      />
    );
  return (
    <SelectField
      {...shared}
      value={value === undefined ? '' : String(value)}
      onChange={({ target }) => change(target.value === '' ? undefined : target.value === 'true')}
    >
      <option value="">{unset}</option>
      <option value="true">Yes</option>
      <option value="false">No</option>
    </SelectField>
  );
}

/** Few choices with an explanation are cards; many are a list, with the explanation of the chosen one below it. */
export function ChoiceOfValues(props: MemberProps) {
  const { schema, value, change, isRequired, pointer } = props;
  const { patch, unset = 'Leave out' } = useContext(Facts);
  const { label, hint, fault, optional } = useShared(props);
  const name = useId();
  const values = valuesOf(schema);
  const given = schema['default'];
  const isDecided = isRequired || (given !== undefined && given !== null && !patch);
  const isExplained = values.every(({ note }) => note !== '') && !pointer.startsWith('query/');
  if (isDecided && isExplained && values.length <= FEW)
    return (
      <Cards label={label} hint={hint} fault={fault} optional={optional}>
        {values.map((each) => (
          <RadioCard
            key={each.value}
            name={name}
            title={titleOf(each.value, schema)}
            note={each.note}
            checked={(value ?? given) === each.value}
            choose={() => change(each.value)}
          />
        ))}
      </Cards>
    );
  const note = values.find((each) => each.value === (value ?? given))?.note;
  return (
    <SelectField
      label={label}
      fault={fault}
      optional={optional}
      hint={[hint, note].filter(Boolean).join(' ')}
      value={String(value ?? '')}
      onChange={({ target }) => change(values.find((each) => String(each.value) === target.value)?.value)}
    >
      <option value="">{isRequired ? 'Choose' : isDecided ? `Default: ${given}` : unset}</option>
      {values.map((each) => (
        <option key={each.value} value={each.value}>
          {titleOf(each.value, schema)}
        </option>
      ))}
    </SelectField>
  );
}

function titleOf(value: string | number, schema: MemberProps['schema']): string {
  if (typeof value === 'string') return spoken(value);
  const unit = unitOf(schema) ?? '';
  return `${value} ${value === 1 ? unit.replace(/s$/, '') : unit}`.trim();
}

interface CardsProps {
  label: string;
  hint: string;
  fault: string | undefined;
  optional: boolean;
  children: React.ReactNode;
}

export const Cards = ({ children, ...shared }: CardsProps) => (
  <Box {...shared}>
    <div className="grid gap-2 sm:grid-cols-2">{children}</div>
  </Box>
);
