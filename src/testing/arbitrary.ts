/** Generates random values from a JSON Schema: an endpoint must be able to read every value that its schema allows. */
import fc, { type Arbitrary } from 'fast-check';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** Text without NUL and unpaired surrogates: the body reader rejects these before the schema is checked. */
const text = (minLength: number, maxLength: number): Arbitrary<string> =>
  fc
    .string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, minLength + 40) })
    .filter((value) => !value.includes('\0') && value.length >= minLength && value.length <= maxLength);

const strings = new Map<string, Arbitrary<string>>();

/** Kept by what they depend on, because making one takes longer than generating hundreds of values from it. */
function stringOf(schema: JsonSchema): Arbitrary<string> {
  const { pattern, format, minLength, maxLength } = schema;
  const key = JSON.stringify([pattern, format, minLength, maxLength]);
  const arbitrary = strings.get(key) ?? makeString(schema);
  strings.set(key, arbitrary);
  return arbitrary;
}

function makeString(schema: JsonSchema): Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = 100 } = schema;
  if (format === 'date-time') {
    const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T00:00:00Z')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (pattern === undefined) return text(minLength, maxLength);
  return fc
    .stringMatching(new RegExp(pattern))
    .filter((value) => value.length >= minLength && value.length <= maxLength);
}

function listOf(schema: JsonSchema): Arbitrary<unknown[]> {
  const { items = {}, minItems: minLength = 0, maxItems = minLength + 3, uniqueItems } = schema;
  const bounds = { minLength, maxLength: Math.min(maxItems, minLength + 3) };
  return uniqueItems
    ? fc.uniqueArray(arbitraryOf(items), { ...bounds, selector: (item) => JSON.stringify(item) })
    : fc.array(arbitraryOf(items), bounds);
}

function objectOf(schema: JsonSchema): Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties: others, propertyNames } = schema;
  const members = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, arbitraryOf(member)])),
    { requiredKeys: [...required] },
  );
  if (others === false) return members;
  const free = fc.dictionary(
    propertyNames === undefined ? fc.string({ maxLength: 20 }) : stringOf(propertyNames),
    typeof others === 'object' ? arbitraryOf(others) : storable,
    { maxKeys: Math.min(schema.maxProperties ?? 4, 4), minKeys: schema.minProperties ?? 0 },
  );
  return fc
    .tuple(free, members)
    .map(([some, known]) => Object.fromEntries([...Object.entries(some), ...Object.entries(known)]));
}

/** Any JSON value that the body reader accepts. */
export const storable: Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value)));

function ofType(type: string, schema: JsonSchema): Arbitrary<unknown> {
  const { minimum = -1e9, maximum = 1e9 } = schema;
  switch (type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
      return fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return listOf(schema);
    case 'object':
      return objectOf(schema);
    default:
      throw new Error(`No value of the type ${type} can be made up; teach it to src/testing/arbitrary.ts.`);
  }
}

export function arbitraryOf(schema: JsonSchema): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return fc.oneof(...branches.map(arbitraryOf));
  if (schema.type === undefined) return storable;
  return fc.oneof(...[schema.type].flat().map((type) => ofType(type, schema)));
}

/** One value that matches the schema; the same value in every run. */
export function sampleOf(schema: JsonSchema): unknown {
  return fc.sample(arbitraryOf(schema), { numRuns: 1, seed: 7 })[0];
}
