/** What the page about an operation says. The HTML page and its Markdown twin are written from it. */
import { type ProblemCode, problems } from '../../../kernel/problems/catalogue.ts';
import { EXAMPLE_ADDRESS } from '../../openapi/example-address.ts';
import type { JsonSchema, OpenApiDocument, Operation } from '../../openapi/model.ts';
import { codesOf, type Entry, type Resolver } from '../../openapi/resolved.ts';
import { contentOf, type Member, memberOf } from './members.ts';
import { type Sample, type SampleSources, samplesOf } from './samples/samples.ts';

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly members: readonly Member[];
  readonly choices: Member['choices'];
  readonly examples: readonly { readonly title: string; readonly text: string }[];
}

export interface Content {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly permission: string;
  /** Facts in a few words each. */
  readonly facts: readonly string[];
  readonly parameters: readonly { readonly place: string; readonly members: readonly Member[] }[];
  readonly body:
    | (Pick<Member, 'members' | 'choices'> & { readonly note: string; readonly isRequired: boolean })
    | null;
  readonly answers: readonly Answer[];
  readonly states: readonly {
    readonly state: string;
    readonly isTransient: boolean;
    readonly isAllowed: boolean;
  }[];
  readonly errors: readonly {
    readonly code: string;
    readonly status: number;
    readonly when: string;
    readonly next: string;
  }[];
  readonly samples: readonly Sample[];
}

const accessWords = {
  read: 'Changes nothing',
  write: 'Creates or changes',
  destructive: 'Deletes or overwrites',
};
const costWords = { raises: 'Raises the bill', lowers: 'Lowers the bill', either: 'Can change the bill' };

function factsOf(operation: Operation): string[] {
  const { 'x-access': access, 'x-cost': cost, 'x-operation': work, 'x-sensitive': sensitive } = operation;
  return [
    accessWords[access],
    ...(cost === undefined ? [] : [costWords[cost]]),
    ...(work === undefined
      ? []
      : [`${work.sometimes ? 'Can take' : 'Takes'} about ${work.typical_seconds} s`]),
    ...(work?.cancellable ? ['Can be cancelled'] : []),
    ...(sensitive ? ['Sensitive'] : []),
  ];
}

const places = { path: 'Path', query: 'Query', header: 'Headers' } as const;

function parametersOf({ operation }: Entry, resolver: Resolver): Content['parameters'] {
  const all = (operation.parameters ?? []).map((parameter) => resolver.parameter(parameter));
  return (['path', 'query', 'header'] as const)
    .map((place) => ({
      place: places[place],
      members: all
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema, description, required }) =>
          memberOf(name, { ...schema, description }, required === true, resolver),
        ),
    }))
    .filter(({ members }) => members.length > 0);
}

function bodyOf({ operation }: Entry, resolver: Resolver): Content['body'] {
  const { requestBody } = operation;
  const schema = requestBody?.content['application/json']?.schema;
  if (requestBody === undefined || schema === undefined) return null;
  return {
    ...contentOf(schema, resolver),
    note: requestBody.description ?? '',
    isRequired: requestBody.required,
  };
}

function answersOf({ operation }: Entry, { resolver, base }: SampleSources): Answer[] {
  return Object.entries(operation.responses)
    .filter(([status]) => status !== 'default')
    .map(([status, reference]) => {
      const { description, content } = resolver.response(reference);
      const media = content?.['application/json'] ?? Object.values(content ?? {})[0];
      const isProblem = Object.keys(content ?? {}).some((type) => type.includes('problem'));
      const inner =
        media === undefined || isProblem ? { members: [], choices: [] } : contentOf(media.schema, resolver);
      const examples = media === undefined ? [] : resolver.examples(media);
      return {
        status,
        description,
        ...inner,
        examples: examples
          .filter(([, value]) => value !== undefined)
          .map(([title, value]) => ({
            title,
            text: JSON.stringify(value, null, 2).replaceAll(EXAMPLE_ADDRESS, base),
          })),
      };
    });
}

interface States {
  readonly transient: readonly string[];
  readonly allows: Readonly<Record<string, readonly string[]>>;
}

/** The states of the resource in which the call is accepted; none if it is accepted in every state. */
function statesOf({ id, operation }: Entry, document: OpenApiDocument): Content['states'] {
  const schemas = Object.values(document.components.schemas) as readonly JsonSchema[];
  const found = schemas
    .map((schema) => schema['x-states'] as States | undefined)
    .find((states) => states !== undefined && Object.values(states.allows).some((ids) => ids.includes(id)));
  if (found === undefined || operation['x-resource'].role === 'create') return [];
  return Object.entries(found.allows).map(([state, ids]) => ({
    state,
    isTransient: found.transient.includes(state),
    isAllowed: ids.includes(id),
  }));
}

const errorsOf = (entry: Entry, resolver: Resolver): Content['errors'] =>
  codesOf(entry, resolver)
    .filter((code): code is ProblemCode => code in problems)
    .map((code) => ({
      code,
      status: problems[code].status,
      when: problems[code].when,
      next: problems[code].next_step,
    }))
    .toSorted((a, b) => a.status - b.status);

export function contentFor(entry: Entry, sources: SampleSources): Content {
  const { resolver } = sources;
  const { id, method, path, operation } = entry;
  return {
    id,
    method,
    path,
    title: operation.summary,
    paragraphs: operation.description.split('\n\n').filter((text) => !text.startsWith('Permission: ')),
    permission: operation['x-permission'],
    facts: factsOf(operation),
    parameters: parametersOf(entry, resolver),
    body: bodyOf(entry, resolver),
    answers: answersOf(entry, sources),
    states: statesOf(entry, resolver.document),
    errors: errorsOf(entry, resolver),
    samples: samplesOf(entry, sources),
  };
}
