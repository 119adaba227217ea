/** The operations of an OpenAPI document, as commands need them. Members that an older server lacks have defaults. */

import { type Words, wordsOf } from '../../../src/surfaces/cli-package/command-words.ts';
import { choicesOf, chosenCommands } from './choices.ts';
import type { Choice, Operation, Parameter, ResourceMark } from './operation.ts';
import { partCommands } from './part-commands.ts';
import { type Schema, Schemas } from './schema.ts';

export type { Operation, Parameter } from './operation.ts';

interface RawParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly explode?: boolean;
}

interface RawBody {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
}

interface RawOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly RawParameter[];
  readonly requestBody?: RawBody;
  readonly responses?: Readonly<Record<string, RawBody>>;
  readonly 'x-access'?: string;
  readonly 'x-may-loosen'?: boolean;
  readonly 'x-permission'?: string;
  readonly 'x-operation'?: { readonly kind: string; readonly typical_seconds: number };
  readonly 'x-resource'?: ResourceMark;
  /** Only in an outline, which has no bodies. */
  readonly 'x-choices'?: readonly Choice[];
}

const JSON_TYPE = 'application/json';
const STREAM = 'text/event-stream';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Group {
  readonly name: string;
  readonly description?: string;
}

export class Document {
  readonly schemas: Schemas;
  readonly operations: readonly Operation[];
  /** The operations, and the commands for what a member of their body chooses. */
  readonly commands: readonly Operation[];
  readonly title: string;
  /** What people call the families, by their word. */
  readonly families: ReadonlyMap<string, string>;
  readonly #groups: readonly Group[];

  constructor(raw: object) {
    const {
      paths,
      info,
      'x-tagGroups': groups = [],
    } = raw as {
      readonly paths?: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
      readonly info?: { readonly title?: string };
      readonly 'x-tagGroups'?: readonly Group[];
    };
    this.schemas = new Schemas(raw);
    this.#groups = groups;
    this.title = info?.title ?? 'Hostplane API';
    const found = Object.entries(paths ?? {}).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        return operation?.operationId === undefined ? [] : [{ path, method, operation }];
      }),
    );
    const marked = found.map(({ path, operation }) => {
      const { name, role, parent } = markOf(path, operation);
      return { id: operation.operationId ?? '', path, resource: name, role, parent: parent?.name };
    });
    const words = wordsOf(marked);
    this.operations = found.map(({ path, method, operation }) =>
      this.#operation(path, method, operation, words.get(operation.operationId ?? '')!),
    );
    const named = [...this.operations, ...partCommands(this.operations)];
    this.commands = [...named, ...chosenCommands(this.schemas, named)];
    const spoken = new Map(groups.map(({ name, description }) => [name.toLowerCase(), description ?? name]));
    this.families = new Map(
      this.operations.map(({ words: { family } }) => [
        family,
        spoken.get(family.replaceAll('-', ' ')) ?? family,
      ]),
    );
  }

  /** A small document that has the commands and their arguments, but no flags. */
  get outline(): object {
    const paths: Record<string, Record<string, RawOperation>> = {};
    for (const { id, path, method, summary, resource, parameters, choices } of this.operations) {
      paths[path] ??= {};
      paths[path][method.toLowerCase()] = {
        operationId: id,
        summary,
        parameters: parameters
          .filter((parameter) => parameter.in === 'path')
          .map(({ name }) => ({ name, in: 'path' })),
        'x-resource': resource,
        ...(choices.length === 0 ? {} : { 'x-choices': choices }),
      };
    }
    return { info: { title: this.title }, 'x-tagGroups': this.#groups, paths };
  }

  find(id: string): Operation | undefined {
    return this.operations.find((operation) => operation.id === id);
  }

  /** The list of a type of resource. */
  listOf(resource: string): Operation | undefined {
    return this.operations.find(({ resource: { name, role } }) => name === resource && role === 'list');
  }

  /** The schema of the rows, if the answer of the operation is a list. */
  rowOf({ answer }: Operation): Schema | undefined {
    const rows = this.schemas.members(answer)['data'];
    const { items } = rows === undefined ? {} : this.schemas.plain(rows);
    return items;
  }

  #operation(path: string, method: string, raw: RawOperation, words: Words): Operation {
    const parameters = (raw.parameters ?? []).map((each) => this.schemas.resolve(each));
    const body = raw.requestBody && this.schemas.resolve(raw.requestBody);
    const answers = Object.entries(raw.responses ?? {})
      .filter(([status]) => status.startsWith('2'))
      .map(([, answer]) => this.schemas.resolve(answer).content ?? {});
    const answer = answers
      .map((content) => content[JSON_TYPE]?.schema)
      .find((schema) => schema !== undefined);
    const operation: Operation = {
      id: raw.operationId ?? '',
      method: method.toUpperCase(),
      path,
      summary: raw.summary ?? raw.operationId ?? '',
      description: raw.description ?? '',
      isDeprecated: raw.deprecated ?? false,
      words,
      resource: markOf(path, raw),
      parameters: parameters.map(({ name, in: place, required = false, description = '', schema = {} }) => ({
        name,
        in: place as Parameter['in'],
        isRequired: required,
        description,
        schema,
      })),
      body: body?.content?.[JSON_TYPE]?.schema,
      example: body?.content?.[JSON_TYPE]?.example,
      // A call without the mark is treated as one that can destroy.
      access: raw['x-access'] ?? (method === 'get' ? 'read' : 'destructive'),
      mayLoosen: raw['x-may-loosen'] ?? false,
      permission: raw['x-permission'],
      work: raw['x-operation'],
      answer: answer ?? {},
      streams: answers.some((content) => content[STREAM] !== undefined),
      formats: answers.flatMap(Object.keys).filter((type) => !/\bjson$/.test(type) && type !== STREAM),
      choices: [],
    };
    return { ...operation, choices: raw['x-choices'] ?? choicesOf(this.schemas, operation) };
  }
}

/** The mark of the operation; without one, the path says what it is about. */
function markOf(path: string, raw: RawOperation): ResourceMark {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  return raw['x-resource'] ?? { name: (parts.at(-1) ?? 'call').replaceAll('-', '_'), role: 'action' };
}
