import { kebab } from '../../../src/surfaces/cli-package/command-words.ts';
import type { Argument } from '../command.ts';
import type { Document, Operation, Parameter } from '../document/document.ts';
import { listCommand, referenceOf } from '../input/references.ts';

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

/** The type of the resource that a parameter of the path names. */
function resourceNamed({ resource }: Operation, parameter: Parameter): string {
  const { name, parent, parameter: own } = resource;
  if (parameter.name === own) return name;
  return parameter.name === parent?.parameter ? parent.name : parameter.name;
}

function argumentFor(operation: Operation, parameter: Parameter): Argument {
  const noun = resourceNamed(operation, parameter);
  return { name: kebab(noun.replace(/_id$/, '')), description: parameter.description };
}

/** The arguments, each with the command that lists what can be typed for it. */
export function namedArguments(document: Document, operation: Operation): Argument[] {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'path');
  return argumentsOf(operation).map((argument, i) => {
    const parameter = parameters[i];
    if (parameter === undefined) return argument;
    const list = document.listOf(resourceNamed(operation, parameter));
    if (list === undefined) {
      const { read, parameter: own } = operation.resource;
      const reader = document.find(read?.operation ?? '');
      if (reader === undefined || read?.in === undefined || own !== parameter.name) return argument;
      // A part without a list of its own.
      return {
        ...argument,
        description: `Its id, or a value that only it has. ${listCommand(reader)} shows them.`,
      };
    }
    const reference = referenceOf(document, operation, parameter.name);
    const what = reference === undefined ? argument.description : `Its name or ${reference.value}.`;
    return { ...argument, description: `${what} ${listCommand(list)} lists them.` };
  });
}
