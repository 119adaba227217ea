/** Replaces parameters that several operations have in the same form by references to components. */
import type { Operation, Parameter, PathItem, Reference } from './model.ts';
import { nounBefore } from './parameters.ts';

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
  const whole = name === 'id' ? `${nounBefore(path, name).toLowerCase()}_id` : name;
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

/** Parameters of one name can have several forms. The one that is used most becomes the component. */
export function shareParameters(paths: Paths): {
  readonly paths: Paths;
  readonly parameters: Record<string, Parameter>;
} {
  const uses = new Map<string, Map<string, number>>();
  mapParameters(paths, (path, parameter) => {
    const name = componentName(path, parameter);
    const form = JSON.stringify(parameter);
    const forms = uses.get(name) ?? new Map<string, number>();
    uses.set(name, forms.set(form, (forms.get(form) ?? 0) + 1));
    return parameter;
  });
  const shared = new Map(
    [...uses].flatMap(([name, forms]): [string, string][] => {
      const [form = '', count = 0] = [...forms].sort(([, a], [, b]) => b - a)[0] ?? [];
      return count > 1 ? [[name, form]] : [];
    }),
  );
  return {
    paths: mapParameters(paths, (path, parameter) => {
      const name = componentName(path, parameter);
      const isShared = shared.get(name) === JSON.stringify(parameter);
      return isShared ? { $ref: `#/components/parameters/${name}` } : parameter;
    }),
    parameters: Object.fromEntries(
      [...shared].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, form]) => [name, JSON.parse(form)]),
    ),
  };
}
