/** The output of a module with which one line imports a resource that exists: `format(module.web.import_as, "vm_…")`. */
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import { bodyInputs } from './body.ts';
import { assign, block, braces, quoted } from './hcl.ts';
import { selectorOf } from './read-back.ts';

/** Stands for the value that names the resource in paths, each time. */
const KEY = '%[1]s';

/** The members that the value at `from` has, with null in the place of each value: the provider manages just these. */
function shapeOf(members: readonly Member[], from: string): string {
  const nulls = `{ for name, value in ${from} : name => null }`;
  const inner = members.flatMap(({ name, type }) =>
    type.kind === 'object' ? [assign(name, `try(${shapeOf(type.members, `${from}.${name}`)}, null)`)] : [],
  );
  if (inner.length === 0) return nulls;
  return `merge(${nulls}, { for name, shape in ${braces(inner)} : name => shape if shape != null })`;
}

function filled(path: string, { parent, parameter }: ManagedResource): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    if (name === parent?.parameter) return `\${var.${parent.input}}`;
    return name === parameter ? KEY : whole;
  });
}

export function importOutput(resource: ManagedResource): string {
  const { read, create, name, key } = resource;
  const selector = selectorOf(resource, KEY);
  const spec = [
    assign('id', `"${filled(read.path, resource)}"`),
    assign('path', `"${filled(create.path, resource)}"`),
    ...(read.filter === undefined ? [] : [assign('query', `{ ${read.filter} = ["${KEY}"] }`)]),
    ...(selector === '' ? [] : [assign('read_selector', quoted(selector.replaceAll(/%(?!\[1\]s)/g, '%%')))]),
    assign('body', shapeOf(bodyInputs(resource), 'local.body')),
  ];
  const description = `For the import of a ${name} that exists: format(import_as, its ${key}) is the id of the import block.`;
  return block('output "import_as"', [
    assign('description', quoted(description)),
    assign('value', `jsonencode(${braces(spec)})`),
  ]);
}
