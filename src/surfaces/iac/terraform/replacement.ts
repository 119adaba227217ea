/**
 * A resource that holds something is deleted and created again only if the file allows it. The module keeps the values
 * that only a new resource can have; if the file has others, the plan fails and says what would be lost. As long as it is
 * not allowed, the provider does not know these attributes as reasons to replace, so even a plan that could not compare
 * them (because a value is not known yet) deletes nothing. What is gone is made again without that: nothing is lost.
 */
import type { ManagedResource } from '../managed.ts';
import { bodyInputs, pathsOf } from './body.ts';
import { assign, block, braces, literal, quoted } from './hcl.ts';
import { GONE } from './read-back.ts';
import { needsPermission } from './variables.ts';

const fixedPaths = (resource: ManagedResource): string[] =>
  bodyInputs(resource).flatMap((input) => pathsOf(input, ({ change }) => change === 'replace'));

export function replacingAttributes(resource: ManagedResource): string[] {
  const paths = fixedPaths(resource);
  if (!needsPermission(resource)) return [assign('force_new_attrs', literal([GONE, ...paths]))];
  const guarded = `var.allow_replacement ? ${literal(paths)} : []`;
  return [
    assign(
      'force_new_attrs',
      paths.length === 0 ? literal([GONE]) : `concat(${literal([GONE])}, ${guarded})`,
    ),
  ];
}

/** By input: its value as one text, without what is left out. */
function fixedValues(resource: ManagedResource): string[] {
  const { parent, isDeclared, key } = resource;
  const inBody = bodyInputs(resource).flatMap((input) => {
    const paths = pathsOf(input, ({ change }) => change === 'replace');
    const values = paths.map((path) => `try(local.body.${path}, null)`);
    if (values.length === 0) return [];
    return assign(
      input.variable,
      `jsonencode(${values.length === 1 ? values[0] : `[${values.join(', ')}]`})`,
    );
  });
  return [
    ...(parent === undefined ? [] : [assign(parent.input, `jsonencode(var.${parent.input})`)]),
    ...(isDeclared ? [assign(key, `jsonencode(var.${key})`)] : []),
    ...inBody,
  ];
}

export function replacingLocals(resource: ManagedResource): string[] {
  if (!needsPermission(resource)) return [];
  return [
    `\n# Values that only a new ${resource.name} can have, and the inputs that have others than it was made with.`,
    `fixed = ${braces(fixedValues(resource))}`,
    'replacing = [for name, value in local.fixed : name if value != try(terraform_data.fixed.output[name], value)]',
  ];
}

/**
 * Keeps the values until `allow_replacement` is switched. A part goes with its parent: if that is made again, its id is not
 * known yet, so an empty piece of the id is not known either, which renews the record. Another known id renews nothing.
 */
export function recordOf(resource: ManagedResource): string[] {
  if (!needsPermission(resource)) return [];
  const { parent } = resource;
  const triggers =
    parent === undefined
      ? 'var.allow_replacement'
      : `[var.allow_replacement, substr(var.${parent.input}, 0, 0)]`;
  return [
    block('resource "terraform_data" "fixed"', [
      assign('input', 'local.fixed'),
      assign('triggers_replace', triggers),
      '',
      block('lifecycle', [assign('ignore_changes', '[input]')]),
    ]),
  ];
}

/** The condition stands in an output, which every plan evaluates and nothing depends on. */
export function guardIn(resource: ManagedResource): string[] {
  if (!needsPermission(resource)) return [];
  const { name, loss = '' } = resource;
  const because = '$' + '{join(", ", local.replacing)}';
  const said = quoted(loss).slice(1, -1);
  const message = `Nothing can change ${because} of this ${name}: it would be deleted and created again. ${said} Put the old value back, or set allow_replacement = true in the module.`;
  return [
    `\n${block('precondition', [
      assign('condition', 'var.allow_replacement || length(local.replacing) == 0'),
      assign('error_message', `"${message}"`),
    ])}`,
  ];
}
