/** Ids that pass from one call of a batch to another have a type, which is known before any call is made. */
import { membersOf } from '../../kernel/managed-resource.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { type Reference, referenceAt } from '../../kernel/reference.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { narrowTo } from '../../kernel/variants.ts';
import { pathReference } from '../openapi/path-references.ts';
import type { CallArguments } from './calls.ts';
import { answerAt, type Earlier } from './earlier-answers.ts';
import { rowSchema } from './fields.ts';
import { branchesOf, type TextSchema } from './written-names.ts';

const PREFIX = /^\^([a-z]+(?:_[a-z]+)*)_\[0-7\]/;

/** The types of ids that the schema takes, such as `vm`. None if it is not the schema of ids. */
const prefixesOf = (schema: TextSchema | undefined): string[] =>
  branchesOf(schema).flatMap(({ format, pattern = '' }) =>
    format === 'typeid' ? (PREFIX.exec(pattern)?.[1] ?? []) : [],
  );

const rowId = ({ answers }: Endpoint): TextSchema | undefined =>
  membersOf(rowSchema(answers[200]) ?? answers[200] ?? answers[201] ?? answers[202])['id'] as
    | TextSchema
    | undefined;

const SHOWS_ITSELF: readonly string[] = ['create', 'declare', 'read', 'update', 'list'];

/** The types of the resources with ids of these prefixes. */
const ownersOf = (prefixes: readonly string[], endpoints: readonly Endpoint[]): string[] =>
  endpoints
    .filter(
      (each) =>
        SHOWS_ITSELF.includes(each.resource.role) &&
        each.part === undefined &&
        prefixesOf(rowId(each)).some((prefix) => prefixes.includes(prefix)),
    )
    .map(({ resource }) => resource.name);

/** The types of what a member of an answer names; none if it is not an id or a name, or nothing is known. */
function typesNamed(endpoint: Endpoint, names: readonly string[], endpoints: readonly Endpoint[]): string[] {
  // A name can stand for an id, and is of the type of the id beside it.
  const member = names.at(-1) === 'name' ? [...names.slice(0, -1), 'id'] : names;
  const found = answerAt(endpoint, member);
  const prefixes = found.flatMap(prefixesOf);
  if (prefixes.length > 0) return ownersOf(prefixes, endpoints);
  // An id that may also be a slug, as that of an image, has no prefix in its schema.
  const isOwn =
    member.join('.') === 'id' && found.length > 0 && SHOWS_ITSELF.includes(endpoint.resource.role);
  return isOwn && endpoint.part === undefined ? [endpoint.resource.name] : [];
}

/** Whether the list shows things of one type: it has ids of one type, or a call makes what it lists. */
const isOfOneType = (list: Endpoint, endpoints: readonly Endpoint[]): boolean =>
  prefixesOf(rowId(list)).length > 0 ||
  endpoints.some(({ resource }) => resource.name === list.resource.name && resource.role === 'create');

function referenceOf(
  endpoint: Endpoint,
  { body }: CallArguments,
  at: string,
  endpoints: readonly Endpoint[],
): Reference | undefined {
  const [part = '', name = ''] = at.split('/');
  if (part === 'path') return pathReference(endpoint, name, endpoints);
  if (part === 'query') return referenceAt(endpoint.query as TSchema | undefined, `/${name}`);
  return endpoint.body === undefined ? undefined : referenceAt(narrowTo(endpoint.body, body) as TSchema, at);
}

export interface WrongType {
  readonly call: number;
  readonly at: string;
  /** The type of the resource that the answer names, and the type that the place takes. */
  readonly given: string;
  readonly wanted: string;
}

const words = (type: string): string => type.replaceAll('_', ' ');

/** The first reference to an earlier answer that is the id or the name of something else than its place takes. */
export function wrongTypeIn(
  endpoint: Endpoint,
  call: CallArguments,
  needed: readonly Earlier[],
  earlier: readonly Endpoint[],
  endpoints: readonly Endpoint[],
): WrongType | undefined {
  for (const { call: number, names, at, isWhole } of needed) {
    const reference = isWhole ? referenceOf(endpoint, call, at, endpoints) : undefined;
    const list = endpoints.find(({ id }) => id === reference?.list);
    if (list === undefined || reference?.value !== 'id' || reference.in !== undefined) continue;
    const wanted = list.resource.name;
    const found = typesNamed(earlier[number] as Endpoint, names, endpoints);
    if (found.length === 0 || found.includes(wanted) || !isOfOneType(list, endpoints)) continue;
    return { call: number, at, given: words(found[0] ?? ''), wanted: words(wanted) };
  }
  return undefined;
}
