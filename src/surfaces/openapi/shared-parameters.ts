/** Replaces parameters that several operations have in the same form by references to components. */
import type { Operation, Parameter, PathItem, Reference } from './model.ts';
import { nounBefore } from './parameters.ts';
import { componentsOf, Sharing } from './sharing.ts';

type Paths = Readonly<Record<string, PathItem>>;
type Visit = (path: string, parameter: Parameter) => Parameter | Reference;

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[_ -])([a-z])/gi, (_, letter: string) => letter.toUpperCase());

/** Lists are sorted by different members, so the default is a part of the name: `SortByCreatedAtDescending`. */
function sortName(first: string): string {
  const isDescending = first.startsWith('-');
  return `SortBy${pascalCase(first.replace('-', ''))}${isDescending ? 'Descending' : ''}`;
}

/** `{id}` in `/vms/{id}` becomes `VmIdInPath`, `dry_run` in a query becomes `DryRun`. */
function componentName(path: string, { name, in: place, schema }: Parameter): string {
  if (name === 'sort') return sortName(String(schema['default']));
  if (place !== 'path') return pascalCase(name);
  const whole = name === 'id' ? `${nounBefore(path, name)}_id` : name;
  return `${pascalCase(whole)}InPath`;
}

function mapParameters(paths: Paths, visit: Visit): Paths {
  const map = (path: string, { parameters, ...operation }: Operation): Operation => ({
    ...operation,
    parameters: parameters.map((each) => ('$ref' in each ? each : visit(path, each))),
  });
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([verb, operation]) => [verb, map(path, operation)])),
    ]),
  );
}

export function shareParameters(paths: Paths): {
  readonly paths: Paths;
  readonly parameters: Record<string, Parameter>;
} {
  const sharing = new Sharing();
  mapParameters(paths, (path, parameter) => {
    sharing.count(componentName(path, parameter), parameter);
    return parameter;
  });
  const names = sharing.names();
  return {
    paths: mapParameters(paths, (_, parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    }),
    parameters: componentsOf(names),
  };
}
