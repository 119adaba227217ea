/** The variables of a role: their names, and what `ansible-doc` and Ansible's own checks know about them. */
import type { Input, Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import type { Details } from './details.ts';
import { roleInputs } from './role-inputs.ts';

/** As Ansible advises, every variable of a role begins with the name of the role. */
export const variableOf = ({ name }: Pick<ManagedResource, 'name'>, input: string): string =>
  `${name}_${input}`;

const types = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  map: 'dict',
  object: 'dict',
};

export interface Option {
  readonly description: readonly string[];
  readonly type: string;
  readonly required?: boolean;
  readonly choices?: readonly unknown[];
  readonly default?: unknown;
  readonly elements?: string;
  readonly options?: Readonly<Record<string, Option>>;
}

function typeOf({ type }: Pick<Member, 'type'>): Pick<Option, 'type' | 'elements' | 'options'> {
  if (type.kind === 'object') return { type: 'dict', options: optionsOf(type.members) };
  if (type.kind !== 'list') return { type: types[type.kind] };
  const { type: elements, options } = typeOf(type.items);
  return { type: 'list', elements, ...(options && { options }) };
}

function optionOf(member: Member): Option {
  const { description, required, limits, default: usual } = member;
  return {
    description: [description === '' ? member.name : description],
    ...typeOf(member),
    ...(required ? { required } : {}),
    ...(limits.enum === undefined ? {} : { choices: limits.enum }),
    ...(usual === undefined ? {} : { default: usual }),
  };
}

const optionsOf = (members: readonly Member[]): Record<string, Option> =>
  Object.fromEntries(members.map((member) => [member.name, optionOf(member)]));

const sentences: Readonly<Record<Input['change'], string>> = {
  update: '',
  replace: 'It cannot be changed later.',
  once: 'It is used only while the resource is created; later values have no effect.',
};

/** What happens later if the value of the input changes, as a sentence; empty if the resource is just changed. */
export function changeSentence({ change, changedBy, writeOnly, readAs }: Input): string {
  if (changedBy.length > 0) return `${sentences[change]} Changed by ${changedBy.join(', ')}.`.trim();
  if (change === 'update' && writeOnly && readAs === undefined)
    return 'No answer shows it, so it is sent only together with other changes.';
  return sentences[change];
}

/** An input can be left out if the resource exists, so only the role knows whether it is missing. */
function inputOption(input: Input): Option {
  const { required, ...option } = optionOf(input);
  const notes = [required ? 'Needed to create it.' : '', changeSentence(input)].filter(
    (note) => note !== '' && !input.description.includes(note),
  );
  return { ...option, description: [...option.description, ...notes] };
}

/** What every role takes beside the inputs of its resource. */
function ownOptions(resource: ManagedResource, { deleteOptions }: Details): Record<string, Option> {
  const { name, parent, isDeclared, key } = resource;
  return {
    state: {
      description: [`Whether the ${name} shall exist.`],
      type: 'str',
      choices: ['present', 'absent'],
      default: 'present',
    },
    ...(parent === undefined
      ? {}
      : {
          [parent.input]: {
            description: [`The id of the ${parent.name} that it is a part of.`],
            type: 'str',
            required: true,
          },
        }),
    ...(key === 'id' && !isDeclared
      ? {
          id: {
            description: [`The id of an existing ${name}, to find it by that.`],
            type: 'str',
          },
        }
      : {}),
    replace: {
      description: [
        'Whether it may be deleted and created again if something differs that cannot be changed. All that is in it is lost.',
      ],
      type: 'bool',
      default: false,
    },
    ...(deleteOptions.length === 0
      ? {}
      : {
          delete_options: {
            description: ['Options of the deletion, which are sent when it is deleted or replaced.'],
            type: 'dict',
            default: {},
            options: Object.fromEntries(
              deleteOptions.map(({ name: option, schema, description }) => [
                option,
                {
                  description: [description],
                  type: types[schema.type as keyof typeof types] ?? 'str',
                  ...(schema.enum === undefined ? {} : { choices: schema.enum }),
                },
              ]),
            ),
          },
        }),
  };
}

/** All variables of the role, by their full names. */
export function roleOptions(resource: ManagedResource, details: Details): Record<string, Option> {
  const inputs = roleInputs(resource).map((input) => [input.name, inputOption(input)] as const);
  const all = [...Object.entries(ownOptions(resource, details)), ...inputs];
  return Object.fromEntries(all.map(([name, option]) => [variableOf(resource, name), option]));
}

export const argumentSpecs = (resource: ManagedResource, details: Details) => ({
  argument_specs: {
    main: {
      short_description: resource.title,
      description: [resource.description],
      options: roleOptions(resource, details),
    },
  },
});

/** Only what the role itself needs: an input that is not set is not compared, and the API has its own defaults. */
export const roleDefaults = (resource: ManagedResource, details: Details): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(ownOptions(resource, details)).flatMap(([name, { default: usual }]) =>
      usual === undefined ? [] : [[variableOf(resource, name), usual]],
    ),
  );
