import { useContext, useState } from 'react';
import { Problem } from '../data/http.ts';
import { spoken } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import type { Choice, Ref } from './choices.ts';
import { Combobox } from './combobox.tsx';
import { Facts } from './facts.ts';
import { type Choices, useChoices } from './use-choices.ts';

/** More are found faster by typing. */
const FEW = 30;

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly fault: string | undefined;
  readonly optional: boolean;
  readonly reference: Ref;
  readonly value: string | undefined;
  readonly change: (value: unknown) => void;
  readonly pointer?: string;
}

/** A choice from the list that the document names. Where the list cannot be read, the value is typed. */
export function Picker({ reference, value, change, pointer = '', ...shared }: Props) {
  const found = useChoices(reference, pointer);
  const { unset } = useContext(Facts);
  const [fitted, setFitted] = useState<string>();
  const isThere = found.choices.some((choice) => choice.value === value);
  if (isThere && fitted !== value) setFitted(value);
  const isRight = found.isLoading || found.isCut || found.error !== null || reference.open;
  const misfit =
    value !== undefined && fitted === value && !isThere && !isRight
      ? 'This no longer fits the other choices. Choose another one.'
      : undefined;
  return (
    <div className="grid gap-1.5">
      <Field {...shared} optional={shared.optional && unset === undefined} fault={shared.fault ?? misfit}>
        {(control) => (
          <ChoiceControl
            control={control}
            found={found}
            value={value ?? ''}
            change={change}
            free={reference.open === true}
            empty={shared.optional ? (unset ?? 'Leave out') : 'Choose'}
            none={noneOf(reference)}
          />
        )}
      </Field>
      <ChoiceNotes found={found} list={reference.list} free={reference.open === true} />
    </div>
  );
}

export const noneOf = ({ filters }: Ref): string =>
  filters === undefined ? 'There is none yet' : 'There is none that fits';

export function ChoiceControl(props: {
  control: object;
  found: Choices;
  value: string;
  change: (value: string | undefined) => void;
  free: boolean;
  empty: string;
  /** Said in place of `empty` if there is nothing to choose from. */
  none: string;
  /** For a list: those that it does not have yet. */
  left?: readonly Choice[];
}) {
  const { control, found, value, change, free, empty, none, left } = props;
  const { isLoading, missing, error, isCut } = found;
  const choices = left ?? found.choices;
  const isUnread = found.choices.length === 0 && (isLoading || missing !== undefined);
  if (error === null && isUnread && !free)
    return (
      <select {...control} className="input" disabled value={value} onChange={() => {}}>
        <option value={value}>
          {missing === undefined ? 'Loading…' : `Choose ${spoken(missing)} first`}
        </option>
      </select>
    );
  if (error !== null || free || isCut || found.choices.length > FEW)
    return (
      <Combobox
        control={control}
        choices={choices}
        value={value}
        change={change}
        free={free || isCut || error !== null}
        adds={left !== undefined}
        placeholder={choices.length === 0 ? undefined : empty}
      />
    );
  return (
    <select
      {...control}
      className="input"
      aria-busy={isLoading || undefined}
      value={value}
      onChange={(event) => change(event.target.value || undefined)}
    >
      <option value="">{choices.length === 0 && !isLoading ? none : empty}</option>
      {value !== '' && !choices.some((choice) => choice.value === value) && (
        <option value={value}>{value}</option>
      )}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.text}
        </option>
      ))}
    </select>
  );
}

/** Why there is nothing to choose from, and what to do about it. */
export function ChoiceNotes({ found, list, free }: { found: Choices; list: string; free: boolean }) {
  const { createPath } = useContext(Facts);
  const { choices, isLoading, isCut, missing, error, retry } = found;
  if (error instanceof Problem && error.status === 403)
    return (
      <p className="text-sm text-warn">
        You may not read these choices, so type the value. An owner or admin of the account can give you a
        role that may
        {error.body.required_permission && (
          <>
            : <code>{error.body.required_permission}</code>
          </>
        )}
        .
      </p>
    );
  if (error !== null)
    return (
      <p role="status" className="flex flex-wrap items-center gap-2 text-sm text-warn">
        The choices could not be loaded.
        <Button small busy={isLoading} onClick={retry}>
          Retry
        </Button>
      </p>
    );
  if (isCut)
    return <p className="text-sm text-muted">These are the first {choices.length}. Others can be typed.</p>;
  const create = createPath?.(list);
  if (choices.length > 0 || isLoading || missing !== undefined || free || create === undefined) return null;
  return (
    <p className="text-sm">
      <a className="link" href={create} target="_blank" rel="noreferrer">
        Create one
      </a>{' '}
      <span className="text-muted">in a new tab. What you typed here stays.</span>
    </p>
  );
}
