import { useContext } from 'react';
import { spoken } from '../data/words.ts';
import { CheckField, Field, SelectField, TextField } from '../ui/field.tsx';
import type { Schema } from './document.ts';
import { Facts } from './facts.ts';
import { Picker, type Ref } from './picker.tsx';

type Change = (value: unknown) => void;
type Obj = Readonly<Record<string, unknown>>;

const typesOf = (schema: Schema): readonly string[] => [schema['type'] ?? []].flat() as string[];
const labelOf = (name: string, schema: Schema): string => String(schema['x-label'] ?? spoken(name));

/** Whether the member matters, given the others. */
function isWanted(schema: Schema, siblings: Obj): boolean {
  const when = schema['x-when'] as { member: string; is?: readonly unknown[]; sent?: boolean } | undefined;
  if (when === undefined) return true;
  const value = when.member
    .split('/')
    .reduce<unknown>((part, name) => (part as Obj | undefined)?.[name], siblings);
  if (when.is !== undefined) return value === undefined || when.is.includes(value);
  return when.sent === (value !== undefined && value !== '');
}

/** The members of an object. What few people need is folded. */
export function ObjectForm({
  schema,
  value,
  change,
  pointer = '',
}: {
  schema: Schema;
  value: unknown;
  change: Change;
  pointer?: string;
}) {
  const { resolve } = useContext(Facts);
  const own = (value ?? {}) as Obj;
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
    .map(([name, each]) => ({ name, schema: resolve(each) }))
    .filter(({ schema: each }) => isWanted(each, own))
    .sort((a, b) => Number(required.has(b.name)) - Number(required.has(a.name)));
  const set = (name: string, next: unknown): void => {
    const { [name]: _, ...rest } = own;
    change(next === undefined ? rest : { ...rest, [name]: next });
  };
  const show = ({ name, schema: each }: (typeof members)[number]) => (
    <MemberField
      key={name}
      name={name}
      schema={each}
      isRequired={required.has(name)}
      value={own[name]}
      change={(next) => set(name, next)}
      pointer={`${pointer}/${name}`}
    />
  );
  const plain = members.filter(({ name, schema: each }) => required.has(name) || !each['x-advanced']);
  const advanced = members.filter((member) => !plain.includes(member));
  return (
    <div className="grid gap-4">
      {plain.map(show)}
      {advanced.length > 0 && (
        <details className="rounded-md border border-line px-3.5 py-2.5">
          <summary className="text-sm text-muted">{advanced.length} more</summary>
          <div className="mt-3 grid gap-4">{advanced.map(show)}</div>
        </details>
      )}
    </div>
  );
}

interface MemberProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly change: Change;
  readonly pointer: string;
}

export function MemberField(props: MemberProps) {
  const { name, schema, isRequired, value, change, pointer } = props;
  const { faults } = useContext(Facts);
  const types = typesOf(schema);
  const shared = {
    label: labelOf(name, schema),
    hint: String(schema['description'] ?? '').replaceAll('`', ''),
    fault: faults(pointer),
    optional: !isRequired,
  };
  const ref = schema['x-ref'] as Ref | undefined;
  const values = schema['enum'] as readonly (string | number)[] | undefined;
  if (schema['discriminator'] !== undefined) return <Alternatives {...props} />;
  if (types.includes('object') && schema['properties'] !== undefined) return <Group {...props} />;
  if (ref && types.includes('string'))
    return <Picker {...shared} reference={ref} value={value as string | undefined} change={change} />;
  if (values !== undefined)
    return (
      <SelectField
        {...shared}
        value={String(value ?? '')}
        onChange={(event) => change(values.find((each) => String(each) === event.target.value))}
      >
        <option value="">
          {schema['default'] === undefined ? 'Leave out' : `Default: ${String(schema['default'])}`}
        </option>
        {values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </SelectField>
    );
  if (types.includes('boolean'))
    return (
      <CheckField
        {...shared}
        checked={(value ?? schema['default'] ?? false) === true}
        onChange={(event) => change(event.target.checked)}
      />
    );
  if (types.includes('integer') || types.includes('number'))
    return (
      <TextField
        {...shared}
        type="number"
        min={schema['minimum'] as number | undefined}
        max={schema['maximum'] as number | undefined}
        placeholder={schema['default'] === undefined ? undefined : String(schema['default'])}
        value={(value as number | undefined) ?? ''}
        onChange={(event) => change(event.target.value === '' ? undefined : Number(event.target.value))}
      />
    );
  if (types.includes('string') && !types.includes('object'))
    return (
      <TextField
        {...shared}
        placeholder={schema['default'] === undefined ? undefined : String(schema['default'])}
        value={(value as string | undefined) ?? ''}
        onChange={(event) => change(event.target.value === '' ? undefined : event.target.value)}
      />
    );
  return <JsonMember {...props} />;
}

function Group({ name, schema, value, change, pointer, isRequired }: MemberProps) {
  if (!isRequired && value === undefined)
    return (
      <button type="button" className="btn btn-plain btn-small justify-self-start" onClick={() => change({})}>
        Add {labelOf(name, schema).toLowerCase()}
      </button>
    );
  return (
    <fieldset className="grid gap-4 rounded-md border border-line p-3.5">
      <legend className="px-1 text-sm font-medium">{labelOf(name, schema)}</legend>
      <ObjectForm schema={schema} value={value} change={change} pointer={pointer} />
      {!isRequired && (
        <button
          type="button"
          className="btn btn-quiet btn-small justify-self-start"
          onClick={() => change(undefined)}
        >
          Leave out
        </button>
      )}
    </fieldset>
  );
}

function Alternatives({ name, schema, value, change, pointer, isRequired }: MemberProps) {
  const { resolve } = useContext(Facts);
  const { propertyName, mapping } = schema['discriminator'] as {
    propertyName: string;
    mapping: Record<string, string>;
  };
  const own = (value ?? {}) as Obj;
  const chosen = own[propertyName] as string | undefined;
  const target = chosen === undefined ? undefined : mapping[chosen];
  const found = target === undefined ? undefined : resolve({ $ref: target });
  const { [propertyName]: _, ...others } = (found?.['properties'] ?? {}) as Record<string, Schema>;
  return (
    <fieldset className="grid gap-4 rounded-md border border-line p-3.5">
      <legend className="px-1 text-sm font-medium">{labelOf(name, schema)}</legend>
      <SelectField
        label={spoken(propertyName)}
        optional={!isRequired}
        value={chosen ?? ''}
        onChange={(event) =>
          change(event.target.value === '' ? undefined : { [propertyName]: event.target.value })
        }
      >
        <option value="">{isRequired ? 'Choose' : 'Leave out'}</option>
        {Object.keys(mapping).map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </SelectField>
      {found && (
        <ObjectForm schema={{ ...found, properties: others }} value={own} change={change} pointer={pointer} />
      )}
    </fieldset>
  );
}

/** Lists and maps are written as JSON. What is not JSON yet stays in the field. */
function JsonMember({ name, schema, value, change, pointer, isRequired }: MemberProps) {
  const { faults } = useContext(Facts);
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return (
    <Field
      label={labelOf(name, schema)}
      hint={`${String(schema['description'] ?? '').replaceAll('`', '')} As JSON.`}
      fault={faults(pointer)}
      optional={!isRequired}
    >
      {(control) => (
        <textarea
          {...control}
          rows={2}
          spellCheck={false}
          className="input font-mono text-sm"
          placeholder={typesOf(schema).includes('array') ? '[]' : '{}'}
          defaultValue={text}
          onChange={(event) => {
            const typed = event.target.value.trim();
            try {
              change(typed === '' ? undefined : JSON.parse(typed));
            } catch {
              change(typed);
            }
          }}
        />
      )}
    </Field>
  );
}
