/** The call that all samples of an operation make: with the examples of the document. */
import type { Entry, Resolver } from '../../../openapi/resolved.ts';

export interface Call {
  readonly method: string;
  readonly url: string;
  /** The values in the path, in its order. */
  readonly path: readonly string[];
  readonly query: readonly [name: string, value: string][];
  readonly body: unknown;
  readonly answersJson: boolean;
}

/** Programs read the key from this variable, so that it stands in no sample. */
export const KEY = 'HOSTPLANE_API_KEY';

/** What somebody has filled in, in place of the examples of the document. */
export interface Filled {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** For a call that reads a resource: the resource as it was read. */
  readonly shown?: Readonly<Record<string, unknown>> | undefined;
}

/** What a call is written from. */
interface Written {
  readonly resolver: Resolver;
  readonly base: string;
}

export function callOf(
  { method, path, operation }: Entry,
  { resolver, base }: Written,
  filled?: Filled,
): Call {
  const parameters = operation.parameters.map((parameter) => resolver.parameter(parameter));
  const values: string[] = [];
  const written = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const example = parameter?.example ?? resolver.schema(parameter?.schema ?? {})['example'];
    const value = filled?.path[name] ?? (typeof example === 'string' ? example : whole);
    values.push(value);
    return value;
  });
  const query = filled
    ? Object.entries(filled.query)
    : parameters
        .filter((each) => each.in === 'query' && each.required)
        .map(({ name, example }): [string, string] => [name, String(example ?? '')]);
  const media = operation.requestBody?.content['application/json'];
  const search = new URLSearchParams(query).toString();
  const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  return {
    method,
    url: `${base}${written}${search === '' ? '' : `?${search}`}`,
    path: values,
    query,
    body: media === undefined ? undefined : (filled?.body ?? resolver.example(media)),
    answersJson: answers.some(
      ([, answer]) => resolver.response(answer).content?.['application/json'] !== undefined,
    ),
  };
}

export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
