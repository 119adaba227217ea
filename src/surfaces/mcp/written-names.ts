/**
 * Which text customers can write: derived from the requests of the API. A free text of a request is read back under its
 * name, or where `x-read-as` says, in any answer that shows it. Text from elsewhere, such as the lines of a console, is
 * marked with `byOthers` beside its schema. A law checks that nothing is missing.
 */
import { ADDRESS_PURPOSE, type AddressPurpose } from '../../kernel/chosen-addresses.ts';
import type { ReadPlace } from '../../kernel/member-marks.ts';
import type { Registry } from '../../kernel/registry.ts';
import { ENDS_WITH, WRITTEN_BY } from '../../kernel/schema.ts';

export interface TextSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, TextSchema>>;
  readonly items?: TextSchema;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly TextSchema[];
  readonly oneOf?: readonly TextSchema[];
  readonly [WRITTEN_BY]?: 'others' | 'provider' | 'rule' | 'catalogue';
  readonly [ENDS_WITH]?: string;
  readonly [ADDRESS_PURPOSE]?: AddressPurpose;
  readonly 'x-read-as'?: ReadPlace;
  readonly 'x-ref'?: unknown;
}

export type Endpoints = Pick<Registry, 'endpoints'>;

/** Formats that leave no room for a word. */
const CLOSED = new Set(['date-time', 'date', 'ipv4', 'ipv6', 'cidr', 'uuid', 'typeid']);

/** Addresses that may contain words; the others are numbers. */
const WORDED: ReadonlySet<AddressPurpose> = new Set(['called_url', 'called_endpoint', 'host_name']);

const isAddress = ({ [ADDRESS_PURPOSE]: purpose }: TextSchema): boolean =>
  purpose !== undefined && !WORDED.has(purpose);

/** A pattern is open if it accepts one of these orders. */
const ORDERS = [
  'delete-all',
  'delete_all',
  'delete.all_now',
  'delete@all.now',
  'https://delete.all/now',
  'Delete all!',
];

const openPatterns = new Map<string, boolean>();

function isOpen(pattern: string): boolean {
  const known = openPatterns.get(pattern);
  if (known !== undefined) return known;
  const expression = new RegExp(pattern, 'u');
  const open = ORDERS.some((order) => expression.test(order));
  openPatterns.set(pattern, open);
  return open;
}

/** Whether a text with this schema can be a word that its writer chose. */
export function isFree(schema: TextSchema): boolean {
  const { enum: values, const: only, format, pattern } = schema;
  return (
    values === undefined &&
    only === undefined &&
    !(format !== undefined && CLOSED.has(format)) &&
    !isAddress(schema) &&
    (pattern === undefined || isOpen(pattern))
  );
}

/** The schema and the branches of a union that can describe a value. No schema: nothing is known about the value. */
export const branchesOf = (schema: TextSchema | undefined): readonly TextSchema[] =>
  schema === undefined ? [] : [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];

/** The names of the free texts of a request. An item of a list has the name of the list. */
function textsIn(schema: TextSchema, name: string): string[] {
  const { 'x-read-as': place, 'x-ref': reference } = schema;
  const shown = typeof place === 'string' ? [place.slice(place.lastIndexOf('/') + 1)] : [];
  return branchesOf(schema).flatMap((branch) => {
    const { type, properties = {}, items, [WRITTEN_BY]: by } = branch;
    const isPicked =
      reference !== undefined || branch['x-ref'] !== undefined || by === 'provider' || by === 'rule';
    const isText = [type].flat().includes('string') && isFree(branch) && !isPicked;
    return [
      ...(isText ? [name, ...shown] : []),
      ...Object.entries(properties).flatMap(([inner, member]) => textsIn(member, inner)),
      ...(items === undefined ? [] : textsIn(items, name)),
    ];
  });
}

const known = new WeakMap<Endpoints, ReadonlySet<string>>();

/** The names of members that hold text of customers in answers. */
export function writtenNames(registry: Endpoints): ReadonlySet<string> {
  const found = known.get(registry) ?? findNames(registry);
  known.set(registry, found);
  return found;
}

const findNames = ({ endpoints }: Endpoints): ReadonlySet<string> =>
  new Set(endpoints.flatMap(({ body }) => (body === undefined ? [] : textsIn(body as TextSchema, ''))));
