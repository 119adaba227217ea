/**
 * Some calls do one of several things, and a required member of their body says which: `performVmAction` has `type`. Each
 * of these things is also a command of its own, with only the flags that matter for it: `vm restart`, `volume attach`.
 */

import { kebab } from '../../../src/surfaces/cli-package/command-words.ts';
import type { Choice, Operation } from './operation.ts';
import type { Schema, Schemas } from './schema.ts';

const whenOf = (schemas: Schemas, member: Schema) => member['x-when'] ?? schemas.plain(member)['x-when'];

/** The things that the call can do; none if its body does not ask for exactly one choice. */
export function choicesOf(schemas: Schemas, { resource, body }: Operation): Choice[] {
  if (resource.role !== 'action' || resource.parameter === undefined || body === undefined) return [];
  const { required = [], properties = {} } = schemas.plain(body);
  const [name = ''] = required;
  const chosen = schemas.plain(properties[name] ?? {});
  const { enum: values = [], 'x-enum-descriptions': meanings = [] } = chosen;
  if (required.length !== 1 || !values.every((value) => typeof value === 'string')) return [];
  return values.map((value, i) => {
    const own = Object.entries(properties).filter(([, member]) => {
      const { member: by, is = [] } = whenOf(schemas, member) ?? {};
      return by === name && is.length === 1 && is[0] === value;
    });
    const [first] = own.filter(([member]) => member !== 'confirm');
    const plain = first && schemas.plain(first[1]);
    const isSimple = plain !== undefined && plain.type !== 'boolean' && plain.type !== 'object';
    return {
      member: name,
      value,
      summary: meanings[i] ?? '',
      isDestructive: own.some(([member]) => member === 'confirm'),
      ...(first !== undefined && isSimple
        ? {
            argument: {
              member: first[0],
              name: kebab(first[0].replace(/_(id|gb)$/, '')),
              description: plain.description ?? '',
            },
          }
        : {}),
    };
  });
}

/** The body without the member that chooses, and without members that matter for other choices. */
function narrowed(schemas: Schemas, body: Schema, { member, value }: Choice): Schema {
  const plain = schemas.plain(body);
  const properties = Object.entries(plain.properties ?? {}).filter(([name, each]) => {
    const when = whenOf(schemas, each);
    return name !== member && !(when?.member === member && when.is?.includes(value) === false);
  });
  return { ...plain, properties: Object.fromEntries(properties), required: [] };
}

/** The commands of the choices. A verb that the resource already has stays with its own call. */
export function chosenCommands(schemas: Schemas, operations: readonly Operation[]): Operation[] {
  const nameOf = ({ words: { family, resource, verb } }: Operation): string =>
    `${family} ${resource} ${verb}`;
  const taken = new Set(operations.map(nameOf));
  return operations.flatMap((operation) =>
    operation.choices
      .map((choice) => ({
        ...operation,
        words: { ...operation.words, verb: kebab(choice.value), otherVerb: undefined },
        summary: choice.summary === '' ? operation.summary : choice.summary,
        access: choice.isDestructive ? 'destructive' : operation.access,
        body: operation.body && narrowed(schemas, operation.body, choice),
        choice,
      }))
      .filter((command) => !taken.has(nameOf(command))),
  );
}
