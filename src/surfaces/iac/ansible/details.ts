/** What roles need to know about a resource beyond the model: how it is found by its name, and what its calls take. */
import type { OpenApiDocument } from '../../openapi/model.ts';
import { type Entry, entriesOf, Resolver } from '../../openapi/resolved.ts';
import type { ManagedResource } from '../managed.ts';
import { membersOf, type Plain, plainOf } from '../schemas.ts';

/** How the resource is found if its id is not known. */
interface Finding {
  readonly path: string;
  /** Where the list is in the answer: `data`. */
  readonly in: string;
  /** The input that names it, which is also the member of the rows. */
  readonly by: string;
  /** Whether the call takes a query parameter with that name. */
  readonly isFiltered: boolean;
}

interface DeleteOption {
  readonly name: string;
  readonly schema: Plain;
  readonly description: string;
}

export interface Details {
  readonly finding: Finding;
  /** The least that a key needs: finding needs the list, which the model does not name. */
  readonly permissions: readonly string[];
  readonly deleteOptions: readonly DeleteOption[];
  /** By input: the other input that excludes it. */
  readonly excludedBy: Readonly<Record<string, string>>;
}

/** Query parameters that every deletion has and that a role sets by itself. */
const OWN = ['dry_run', 'wait'];

/** The name, or else the one value that the creation must have, such as the network of an interface. */
function identifyingInput({ name, inputs }: ManagedResource): string {
  const named = inputs.find((input) => input.name === 'name');
  const required = inputs.filter((input) => input.required && input.change === 'replace');
  const found = named ?? (required.length === 1 ? required[0] : undefined);
  if (found === undefined) throw new Error(`No single input tells one ${name} from another.`);
  return found.name;
}

const parametersOf = ({ operation }: Entry, resolver: Resolver) =>
  (operation.parameters ?? []).map((parameter) => resolver.parameter(parameter));

export type DetailsOf = (resource: ManagedResource) => Details;

/** Finds the details of each resource once. */
export function detailsIn(document: OpenApiDocument): DetailsOf {
  const source = { resolver: new Resolver(document), entries: entriesOf(document) };
  const known = new Map<string, Details>();
  return (resource) => {
    const details = known.get(resource.name) ?? find(resource, source);
    known.set(resource.name, details);
    return details;
  };
}

interface Source {
  readonly resolver: Resolver;
  readonly entries: readonly Entry[];
}

function find(resource: ManagedResource, { resolver, entries }: Source): Details {
  const entry = (id: string): Entry => {
    const found = entries.find((each) => each.id === id);
    if (found === undefined) throw new Error(`The document has no operation ${id}.`);
    return found;
  };
  const by = identifyingInput(resource);
  const list = entries.find(
    ({ operation: { 'x-resource': mark } }) => mark.name === resource.name && mark.role === 'list',
  );
  const finder = list ?? entry(resource.read.id);
  const body = plainOf(
    entry(resource.create.id).operation.requestBody?.content['application/json']?.schema ?? {},
    resolver,
  );
  return {
    finding: {
      path: finder.path,
      in: list === undefined ? (resource.read.in ?? '/').slice(1) : 'data',
      by,
      isFiltered: parametersOf(finder, resolver).some(
        ({ name, in: place }) => name === by && place === 'query',
      ),
    },
    permissions: [...new Set([...resource.permissions, finder.operation['x-permission']])].sort(),
    deleteOptions: parametersOf(entry(resource.delete.id), resolver)
      .filter(({ name, in: place }) => place === 'query' && !OWN.includes(name))
      .map(({ name, schema, description = '' }) => ({
        name,
        schema: plainOf(schema, resolver),
        description,
      })),
    excludedBy: Object.fromEntries(
      Object.entries(membersOf(body)).flatMap(([name, { 'x-when': when }]) =>
        when?.sent === false ? [[name, when.member]] : [],
      ),
    ),
  };
}
