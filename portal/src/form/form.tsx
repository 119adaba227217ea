import { useContext, useState } from 'react';
import { inSentence } from '../data/words.ts';
import { Button } from '../ui/button.tsx';
import { Box } from './box.tsx';
import type { Ref } from './choices.ts';
import { Facts } from './facts.ts';
import { useFault } from './faults.ts';
import { ChoiceOfValues, Flag, LongText, NumberField, Secret, Text, Time } from './fields.tsx';
import { type Kind, kindOf } from './kinds.ts';
import { ChoicesOfValues, Events, References } from './lists.tsx';
import type { Change, FormProps, MemberProps } from './member.ts';
import { Alternatives, Group, Items } from './nested.tsx';
import { Picker } from './picker.tsx';
import { Pairs, Texts } from './rows.tsx';
import { isWanted, membersOf, requiredOf, withoutUnwanted } from './when.ts';
import { hintOf, labelOf } from './words.ts';

type Obj = Readonly<Record<string, unknown>>;

/** The members of an object. What few people need is folded; what does not matter is neither shown nor sent. */
export function ObjectForm({ schema, value, change, pointer = '' }: FormProps) {
  const { resolve, isFaulty } = useContext(Facts);
  const [open, setOpen] = useState(false);
  const own = (value ?? {}) as Obj;
  const required = requiredOf(schema);
  const isRequired = (name: string): boolean => required.includes(name);
  const members = Object.entries(membersOf(schema))
    .map(([name, each]) => ({ name, schema: resolve(each) }))
    .filter((member) => isWanted(member.schema, schema, own, resolve))
    .sort((a, b) => Number(isRequired(b.name)) - Number(isRequired(a.name)));
  const show = ({ name, schema: each }: (typeof members)[number]) => (
    <MemberField
      key={name}
      name={name}
      schema={each}
      isRequired={isRequired(name)}
      value={own[name]}
      change={(next) => {
        const { [name]: _, ...rest } = own;
        change(withoutUnwanted(next === undefined ? rest : { ...rest, [name]: next }, schema, resolve));
      }}
      pointer={`${pointer}/${name}`}
    />
  );
  const plain = members.filter(({ name, schema: each }) => isRequired(name) || !each['x-advanced']);
  const advanced = members.filter((member) => !plain.includes(member));
  const isWrong = advanced.some(({ name }) => isFaulty?.(`${pointer}/${name}`));
  return (
    <div className="grid grid-cols-1 gap-4">
      {plain.map(show)}
      {advanced.length > 0 && (
        <details
          open={open || isWrong}
          onToggle={(event) => setOpen(event.currentTarget.open)}
          className="rounded-md border border-line px-3.5 py-2.5"
        >
          <summary className="text-sm text-muted wrap-anywhere">
            More: {advanced.map(({ name, schema: each }) => inSentence(labelOf(name, each))).join(', ')}
          </summary>
          <div className="mt-3 grid grid-cols-1 gap-4">{advanced.map(show)}</div>
        </details>
      )}
    </div>
  );
}

const fields = {
  alternatives: (props: MemberProps) => <Alternatives {...props} Form={ObjectForm} />,
  group: (props: MemberProps) => <Group {...props} Form={ObjectForm} />,
  items: (props: MemberProps) => <Items {...props} Form={ObjectForm} />,
  pairs: Pairs,
  settings: (props: MemberProps) => <Pairs {...props} isFree />,
  reference: Reference,
  references: References,
  events: Events,
  choice: ChoiceOfValues,
  choices: ChoicesOfValues,
  texts: Texts,
  flag: Flag,
  number: NumberField,
  time: Time,
  secret: Secret,
  'long-text': LongText,
  text: Text,
};

/** These tell themselves what has changed in them. */
const CONTAINERS: readonly Kind[] = [
  'alternatives',
  'group',
  'items',
  'pairs',
  'settings',
  'references',
  'events',
  'choices',
  'texts',
];

/** Setting them to null does nothing that their own fields cannot do. */
const CHANGED_IN_PARTS: readonly Kind[] = ['flag', 'group'];

export function MemberField(given: MemberProps) {
  const { resolve, patch, changed } = useContext(Facts);
  const schema = resolve(given.schema);
  const kind = kindOf(schema, resolve) ?? 'text';
  const { value, change, pointer } = given;
  const tell: Change = (next) => {
    changed?.(pointer);
    change(next);
  };
  const props = { ...given, schema, change: CONTAINERS.includes(kind) ? change : tell };
  const Shown = fields[kind];
  if (!patch || !schema['nullable'] || CHANGED_IN_PARTS.includes(kind)) return <Shown {...props} />;
  if (value === null)
    return (
      <Box label={labelOf(given.name, schema)}>
        <p className="flex flex-wrap items-center gap-2 text-sm">
          This call removes it.
          <Button small onClick={() => tell(undefined)}>
            Leave it as it is
          </Button>
        </p>
      </Box>
    );
  return (
    <div className="grid grid-cols-1 gap-1">
      <Shown {...props} />
      {value === undefined && (
        <Button
          small
          kind="quiet"
          className="justify-self-start"
          aria-label={`Remove ${labelOf(given.name, schema)}`}
          onClick={() => tell(null)}
        >
          Remove it
        </Button>
      )}
    </div>
  );
}

/** Says what a program has to send; people choose by name. */
const OF_ITS_KEY = /^The (slug|id|id or slug) of [^.]*\.\s*/;

function Reference({ name, schema, isRequired, value, change, pointer }: MemberProps) {
  return (
    <Picker
      label={labelOf(name, schema)}
      hint={hintOf(schema).replace(OF_ITS_KEY, '')}
      fault={useFault(pointer)}
      optional={!isRequired}
      reference={schema['x-ref'] as Ref}
      value={typeof value === 'string' ? value : undefined}
      change={change}
      pointer={pointer}
    />
  );
}
