import type { Argument } from '../command.ts';
import type { Operation, Parameter } from '../document/document.ts';
import { kebab } from '../document/words.ts';

/** The arguments of a command: the parameters of the path, named after the resources that they name. */
export const argumentsOf = (operation: Operation): Argument[] => [
  ...operation.parameters
    .filter((parameter) => parameter.in === 'path')
    .map((parameter) => argumentFor(operation, parameter)),
  ...lastArgument(operation),
];

/** What the command is about beside the resource, such as the machine of `volume attach`. It can also be a flag. */
function lastArgument({ choice }: Operation): Argument[] {
  if (choice?.argument === undefined) return [];
  const { name, description } = choice.argument;
  return [{ name, description, isOptional: true }];
}

function argumentFor({ resource }: Operation, parameter: Parameter): Argument {
  const { name, parent, parameter: own } = resource;
  const noun =
    parameter.name === own ? name : parameter.name === parent?.parameter ? parent.name : parameter.name;
  return { name: kebab(noun.replace(/_id$/, '')), description: parameter.description };
}
