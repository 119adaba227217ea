/** Replaces responses that several operations have in the same form by references to components. */
import type { Operation, PathItem, Reference, Response } from './model.ts';

type Paths = Readonly<Record<string, PathItem>>;
type Visit = (status: string, response: Response) => Response | Reference;

const MEANINGS: Readonly<Record<string, string>> = {
  201: 'Created',
  202: 'Accepted',
  204: 'NoContent',
  304: 'NotModified',
};

/**
 * Named after what its body can be: `VmOrDryRun`. Answers to a POST have one header more: `VmOrDryRunOfPost`. A response
 * with an inline schema has no name and stays inline.
 */
function componentName(status: string, { content = {}, headers = {} }: Response): string | undefined {
  const schemas = Object.values(content).map(({ schema }) => schema['$ref']);
  const names = schemas.filter((each) => typeof each === 'string').map((each) => each.split('/').at(-1));
  const end = 'Idempotent-Replayed' in headers ? 'OfPost' : '';
  return names.length === schemas.length ? `${MEANINGS[status] ?? ''}${names.join('Or')}${end}` : undefined;
}

function mapResponses(paths: Paths, visit: Visit): Paths {
  const map = ({ responses, ...operation }: Operation): Operation => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, each]) => [
        status,
        '$ref' in each ? each : visit(status, each),
      ]),
    ),
  });
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([verb, operation]) => [verb, map(operation)])),
    ]),
  );
}

/** Responses of one name can have several forms. The one that is used most becomes the component. */
export function shareResponses(paths: Paths): {
  readonly paths: Paths;
  readonly responses: Record<string, Response>;
} {
  const uses = new Map<string, Map<string, number>>();
  mapResponses(paths, (status, response) => {
    const name = componentName(status, response);
    if (name === undefined) return response;
    const form = JSON.stringify(response);
    const forms = uses.get(name) ?? new Map<string, number>();
    uses.set(name, forms.set(form, (forms.get(form) ?? 0) + 1));
    return response;
  });
  const shared = new Map(
    [...uses].flatMap(([name, forms]): [string, string][] => {
      const [form = '', count = 0] = [...forms].sort(([, a], [, b]) => b - a)[0] ?? [];
      return count > 1 ? [[name, form]] : [];
    }),
  );
  return {
    paths: mapResponses(paths, (status, response) => {
      const name = componentName(status, response);
      const isShared = name !== undefined && shared.get(name) === JSON.stringify(response);
      return isShared ? { $ref: `#/components/responses/${name}` } : response;
    }),
    responses: Object.fromEntries(
      [...shared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, form]) => [name, JSON.parse(form)]),
    ),
  };
}
