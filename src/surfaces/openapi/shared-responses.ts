/** Replaces responses that several operations have in the same form by references to components. */
import type { Operation, PathItem, Reference, Response } from './model.ts';
import { componentsOf, Sharing } from './sharing.ts';

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

export function shareResponses(paths: Paths): {
  readonly paths: Paths;
  readonly responses: Record<string, Response>;
} {
  const sharing = new Sharing();
  mapResponses(paths, (status, response) => {
    const name = componentName(status, response);
    if (name !== undefined) sharing.count(name, response);
    return response;
  });
  const names = sharing.names();
  return {
    paths: mapResponses(paths, (_, response) => {
      const name = names.get(JSON.stringify(response));
      return name === undefined ? response : { $ref: `#/components/responses/${name}` };
    }),
    responses: componentsOf(names),
  };
}
