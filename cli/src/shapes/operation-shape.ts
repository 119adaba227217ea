/** The command of an operation: its arguments from the path, its flags from parameters and body. */

import { kebab } from '../../../src/surfaces/cli-package/command-words.ts';
import { type CommandShape, type Flag, globalNames } from '../command.ts';
import type { Document, Operation, Parameter } from '../document/document.ts';
import { unsettable } from '../input/body.ts';
import { withIdleWait } from '../input/idle-wait.ts';
import { flagFor, type MemberFlag, memberFlags } from '../input/member-flags.ts';
import { withShortNames } from '../input/short-names.ts';
import { formatsOf } from './formats.ts';
import { namedArguments } from './operation-arguments.ts';

export interface ParameterFlag extends Flag {
  readonly parameter: Parameter;
}

export interface OperationShape extends CommandShape {
  readonly operation: Operation;
  readonly pathParameters: readonly Parameter[];
  readonly parameterFlags: readonly ParameterFlag[];
  readonly memberFlags: readonly MemberFlag[];
}

/** Parameters that the program sends by itself, or for which it has a flag with more abilities. */
const managed = new Set(['dry_run', 'wait', 'confirm', 'Prefer', 'Last-Event-ID', 'Idempotency-Key']);

export const hasParameter = ({ parameters }: Operation, name: string): boolean =>
  parameters.some((parameter) => parameter.name === name);

/** Calls that start an operation, and the reading of an operation, can wait for its end. */
export const canWait = (operation: Operation): boolean =>
  operation.work !== undefined || (hasParameter(operation, 'wait') && !operation.streams);

/** Reports such as the usage have pages, too, but they are more than their rows. */
export const isList = (operation: Operation): boolean =>
  hasParameter(operation, 'cursor') && operation.resource.role === 'list';

/** Whether the server itself asks for the name of what is lost. */
export const confirmMember = (document: Document, operation: Operation): 'body' | 'query' | null => {
  if (operation.body !== undefined && document.schemas.members(operation.body)['confirm'] !== undefined)
    return 'body';
  return hasParameter(operation, 'confirm') ? 'query' : null;
};

function specialFlags(document: Document, operation: Operation): Flag[] {
  const flags: Flag[] = [];
  const add = (name: string, kind: Flag['kind'], description: string, more: Partial<Flag> = {}): void =>
    void flags.push({ name, kind, description, ...more });
  if (isList(operation)) {
    add('limit', 'integer', 'How many rows at most. Left out: all.', { placeholder: '<number>' });
    add('cursor', 'text', 'Begin here, where an earlier list ended.', { isAdvanced: true });
    add(
      'columns',
      'text',
      'The columns of the table, such as name,price.monthly. -o json shows what there is.',
      {
        placeholder: '<members>',
      },
    );
  }
  if (operation.streams) add('follow', 'switch', 'Go on as new rows come, until Ctrl-C.');
  if (operation.body !== undefined)
    add('body', 'text', 'The whole body as JSON; flags of members take precedence.', {
      placeholder: '<json|@file|->',
    });
  const formats = [...formatsOf(operation).keys()];
  if (formats.length > 0) add('as', 'text', 'Write the answer as it is in this format.', { values: formats });
  if (hasParameter(operation, 'dry_run'))
    add('dry-run', 'switch', 'Only say what the call would do and cost.');
  if (canWait(operation)) {
    const typical = operation.work === undefined ? '' : ` Usually ${operation.work.typical_seconds} s.`;
    add('wait', 'switch', `Wait until the work is done.${typical}`);
    add('timeout', 'integer', 'Stop waiting after so many seconds; the work goes on.', {
      placeholder: '<seconds>',
      isAdvanced: true,
    });
  }
  const isLoss = operation.access === 'destructive' || confirmMember(document, operation) !== null;
  if (isLoss || operation.mayLoosen)
    add(
      'confirm',
      'text',
      `The name of what ${isLoss ? 'is lost' : 'opens more than before, or is lost for good'}. Asked for on a terminal.`,
      {
        placeholder: '<name>',
        isAdvanced: !isLoss,
      },
    );
  if (hasParameter(operation, 'Idempotency-Key'))
    add('idempotency-key', 'text', 'Repeats an earlier call with this key. Left out: a new one.', {
      isAdvanced: true,
    });
  return flags;
}

/** A member that a new resource does not need is left out; in any other call null may differ from leaving it out. */
function unsetFlag(document: Document, operation: Operation, members: readonly MemberFlag[]): Flag[] {
  if (operation.resource.role === 'create') return [];
  const names = unsettable(document.schemas, members).map(({ name, alias }) => alias ?? name);
  if (names.length === 0) return [];
  const isUpdate = operation.method === 'PATCH';
  const description = 'Reset this flag to what it is without a value; labels.env removes the label env.';
  const hasLabels = isUpdate && names.includes('labels');
  return [
    {
      name: 'unset',
      kind: 'text',
      description: hasLabels ? description : 'Reset this flag to what it is without a value.',
      placeholder: '<flag>',
      values: names,
      isOpen: true,
      isRepeatable: true,
      isAdvanced: !isUpdate,
    },
  ];
}

export function shapeOf(document: Document, operation: Operation): OperationShape {
  const special = specialFlags(document, operation);
  const taken = new Set([...globalNames, ...special.map(({ name }) => name), 'unset']);
  const freeName = (name: string): string => (taken.has(name) ? `with-${name}` : name);
  const unnamed = (operation.body === undefined ? [] : memberFlags(document.schemas, operation.body))
    .filter(({ name }) => name !== 'confirm')
    .map((flag) => ({ ...flag, name: freeName(flag.name) }));
  for (const { name } of unnamed) taken.add(name);
  const parameters = operation.parameters
    .filter((parameter) => parameter.in !== 'path' && !managed.has(parameter.name))
    .filter(({ name }) => !(isList(operation) && ['cursor', 'limit'].includes(name)))
    .filter(({ name }) => !(operation.method === 'GET' && name === 'If-None-Match'))
    .map((parameter) => ({
      ...flagFor(document.schemas, freeName(kebab(parameter.name)), parameter.schema),
      description: parameter.description,
      isRequired: parameter.isRequired,
      isAdvanced: parameter.in === 'header',
      parameter,
    }));
  const members = withShortNames(unnamed, [...taken, ...parameters.map(({ name }) => name)]);
  const flags = [...members, ...parameters, ...special, ...unsetFlag(document, operation, members)];
  const { family, resource, verb } = operation.words;
  const pathParameters = operation.parameters.filter((parameter) => parameter.in === 'path');
  return {
    operation,
    words: [family, resource, verb],
    summary: operation.summary,
    description: operation.description,
    args: namedArguments(document, operation),
    flags: withIdleWait(flags),
    pathParameters,
    parameterFlags: parameters,
    memberFlags: members,
  };
}
