/** What can be set about a resource: the members of the request that creates it, and how each is changed later. */
import { isDeepStrictEqual } from 'node:util';
import { type Choices, membersOf, type Plain, type ReadAs } from './schemas.ts';

/**
 * What another value does later. `update`: the resource is changed. `replace`: it is deleted and created again.
 * `once`: nothing, because the value is used only while the resource is created.
 */
export type Change = 'update' | 'replace' | 'once';

export type Type =
  | { readonly kind: 'string' | 'integer' | 'number' | 'boolean' }
  | { readonly kind: 'list'; readonly items: Member }
  | { readonly kind: 'map'; readonly values: Member }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly choice?: Choice };

/** The value of the member `by` decides which other members there are. */
export interface Choice {
  readonly by: string;
  readonly cases: readonly Case[];
}

export interface Case {
  readonly value: string;
  readonly description: string;
  readonly required: readonly string[];
  readonly allowed: readonly string[];
}

const limitNames = [
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
] as const;

export type Limits = Pick<Plain, (typeof limitNames)[number]>;

/** A value inside a request. */
export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly description: string;
  readonly required: boolean;
  /** What the API uses if the member is left out; undefined if that is nothing, or if it depends on other things. */
  readonly default?: unknown;
  readonly limits: Limits;
  readonly secret: boolean;
  /** No answer shows it. */
  readonly writeOnly: boolean;
  readonly change: Change;
  /** Where the answer shows it, if not under the same name. */
  readonly readAs?: ReadAs;
  readonly ref?: Choices;
}

export interface Input extends Member {
  readonly label?: string;
  readonly advanced: boolean;
  /** It explains another member and must be sent with each change of that one. */
  readonly goesWith?: string;
  /** The calls that change it, if it is used only once here. */
  readonly changedBy: readonly string[];
}

interface Context {
  readonly name: string;
  readonly required: boolean;
  readonly change: Change;
}

const limitsOf = (schema: Plain): Limits =>
  Object.fromEntries(
    limitNames.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
  );

/** A value that is used while the resource is created and never shown does not decide about a replacement. */
const changeOf = (schema: Plain, change: Change): Change =>
  change === 'replace' && schema.writeOnly === true ? 'once' : change;

/** What two alternatives say about a member of the same name: limits and references that differ hold for neither. */
function common(first: Plain, second: Plain): Plain {
  const kept = Object.entries(second).filter(([keyword, value]) => {
    const isShared = isDeepStrictEqual(first[keyword as keyof Plain], value);
    return isShared || !([...limitNames, 'x-ref'] as readonly string[]).includes(keyword);
  });
  return {
    ...Object.fromEntries(kept),
    ...(first.description === second.description
      ? {}
      : { description: [first.description, second.description].join(' ') }),
  };
}

/** The members of all alternatives in one object. A member that one of them shows is not taken by one that hides it. */
function mergedOf({ oneOf = [], discriminator }: Plain, change: Change): Type {
  const by = discriminator?.propertyName ?? 'type';
  const choiceOf = (branch: Plain): string => String(membersOf(branch)[by]?.const);
  const isShown = (name: string): boolean =>
    oneOf.some((branch) => membersOf(branch)[name] && membersOf(branch)[name]?.writeOnly !== true);
  const membersIn = (branch: Plain) =>
    Object.entries(membersOf(branch)).filter(
      ([name, schema]) => name !== by && !(schema.writeOnly === true && isShown(name)),
    );
  const cases = oneOf.map((branch) => ({
    value: choiceOf(branch),
    description: membersOf(branch)[by]?.description ?? '',
    required: (branch.required ?? []).filter((name) => name !== by),
    allowed: membersIn(branch).map(([name]) => name),
  }));
  const first = membersOf(oneOf[0] ?? {})[by] ?? {};
  const { const: _, ...decider } = first;
  const others = new Map<string, Plain>();
  for (const [name, schema] of oneOf.flatMap(membersIn)) {
    const other = others.get(name);
    others.set(name, other === undefined ? schema : common(other, schema));
  }
  return {
    kind: 'object',
    choice: { by, cases },
    members: [
      memberOf(
        {
          ...decider,
          enum: cases.map(({ value }) => value),
          description: cases.map(({ value, description }) => `${value}: ${description}`).join(' '),
        },
        { name: by, required: true, change },
      ),
      // Which default counts depends on the choice, so none is written.
      ...[...others].map(([name, { default: _default, ...schema }]) =>
        memberOf(schema, { name, required: false, change }),
      ),
    ],
  };
}

function typeOf(schema: Plain, change: Change): Type {
  if (schema.oneOf !== undefined) return mergedOf(schema, change);
  const of = (inner: Plain) => memberOf(inner, { name: '', required: true, change });
  if (schema.items !== undefined) return { kind: 'list', items: of(schema.items) };
  if (schema.properties !== undefined)
    return {
      kind: 'object',
      members: Object.entries(schema.properties).map(([name, member]) =>
        memberOf(member, { name, required: schema.required?.includes(name) ?? false, change }),
      ),
    };
  if (typeof schema.additionalProperties === 'object')
    return { kind: 'map', values: of(schema.additionalProperties) };
  return { kind: schema.type as 'string' };
}

export function memberOf(schema: Plain, { name, required, change: inherited }: Context): Member {
  const change = changeOf(schema, inherited);
  return {
    name,
    type: typeOf(schema, change),
    description: schema.description ?? '',
    required,
    // Null is the same as leaving the member out.
    ...(schema.default === undefined || schema.default === null ? {} : { default: schema.default }),
    limits: limitsOf(schema),
    secret: schema['x-secret'] === true,
    writeOnly: schema.writeOnly === true,
    change,
    ...(schema['x-read-as'] === undefined ? {} : { readAs: schema['x-read-as'] }),
    ...(schema['x-ref'] === undefined ? {} : { ref: schema['x-ref'] }),
  };
}

interface Requests {
  /** The body of the request that creates or declares. */
  readonly body: Plain;
  /** The body of the update; absent if there is no update. */
  readonly patch: Plain | undefined;
  /** The resource, as it is read. */
  readonly shown: Plain;
  /** The member that names a declared resource: part of the path, and so not of the body. */
  readonly key: string | undefined;
}

/**
 * A value that only another call changes, such as the image of a machine: if it must be given, another one means another
 * resource. If it may be left out, it is how the resource begins; a part that was added since then is no reason to
 * delete it.
 */
function ownChange(name: string, schema: Plain, { patch, body, key }: Requests): Change {
  if (key !== undefined || membersOf(patch ?? {})[name] !== undefined) return 'update';
  if (schema.writeOnly === true) return 'once';
  if (schema['x-changed-by'] === undefined || body.required?.includes(name)) return 'replace';
  return 'once';
}

export function inputsOf(requests: Requests): Input[] {
  const { body, shown, key } = requests;
  const named = key === undefined ? undefined : membersOf(shown)[key];
  const naming: Input[] =
    key === undefined || named === undefined
      ? []
      : [
          {
            ...memberOf(named, { name: key, required: true, change: 'replace' }),
            advanced: false,
            changedBy: [],
          },
        ];
  const others = Object.entries(membersOf(body)).map(([name, schema]): Input => {
    const change = ownChange(name, schema, requests);
    const { 'x-label': label, 'x-when': when, 'x-changed-by': calls = {} } = schema;
    return {
      ...memberOf(schema, { name, required: body.required?.includes(name) ?? false, change }),
      ...(label === undefined ? {} : { label }),
      advanced: schema['x-advanced'] === true,
      ...(schema.writeOnly === true && change === 'update' && when?.sent === true
        ? { goesWith: when.member }
        : {}),
      changedBy: change === 'once' ? Object.keys(calls) : [],
    };
  });
  return [...naming, ...others];
}
