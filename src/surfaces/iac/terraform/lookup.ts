/** The module of a lookup: one data source that reads a list, so that a file can name what it does not make. */
import type { Lookup } from '../lookups.ts';
import type { IacModel } from '../model.ts';
import { keyText, tableOf } from '../readme.ts';
import { aligned, assign, block, quoted } from './hcl.ts';
import { versions } from './module.ts';

export const lookupName = ({ name }: Lookup): string => `find_${name}`;

const ROWS = 'data.restful_resource.this.output.data';

/** What the module returns: the rows, and what other modules take of them. */
function outputsOf({ key, name }: Lookup): { name: string; value: string; description: string }[] {
  const all = { name: 'all', value: ROWS, description: `Each ${name}, as the API shows it.` };
  if (key === 'slug')
    return [all, { name: 'slugs', value: `${ROWS}[*].slug`, description: 'The slugs, which inputs take.' }];
  return [
    all,
    {
      name: 'ids',
      value: `merge([for each in ${ROWS} : { (each.name) = each.id }]...)`,
      description: 'The ids by name.',
    },
  ];
}

const variables = ({ name, isFiltered }: Lookup): string =>
  isFiltered
    ? block('variable "name"', [
        assign('description', quoted(`Only the ${name} with this name. Without it: all of them.`)),
        assign('type', 'string'),
        assign('default', 'null'),
      ])
    : '';

function main({ path, pageSize, isFiltered }: Lookup): string {
  const page = `{ limit = ["${pageSize}"] }`;
  return block('data "restful_resource" "this"', [
    assign('id', quoted(path)),
    assign('query', isFiltered ? `merge(${page}, { for name in var.name[*] : "name" => [name] })` : page),
  ]);
}

function outputs(lookup: Lookup): string {
  const more = `There are more than ${lookup.pageSize}${lookup.isFiltered ? ': give the name of the one that you look for' : ''}.`;
  return outputsOf(lookup)
    .map(({ name, value, description }, i) =>
      block(`output ${quoted(name)}`, [
        assign('description', quoted(description)),
        assign('value', value),
        ...(i > 0
          ? []
          : [
              `\n${block('precondition', [
                assign('condition', 'data.restful_resource.this.output.next_cursor == null'),
                assign('error_message', quoted(more)),
              ])}`,
            ]),
      ]),
    )
    .join('\n\n');
}

export function lookupFiles(lookup: Lookup): Readonly<Record<string, string>> {
  const code = {
    'versions.tf': versions,
    ...(lookup.isFiltered ? { 'variables.tf': variables(lookup) } : {}),
    'main.tf': main(lookup),
    'outputs.tf': outputs(lookup),
  };
  return Object.fromEntries(Object.entries(code).map(([name, text]) => [name, `${aligned(text)}\n`]));
}

export const lookupText = ({ name, key }: Lookup): string =>
  key === 'slug'
    ? `Reads the list, so that a file can choose from it. Every plan reads it again.`
    : `Finds each ${name} that exists, by its name. Every plan reads the list again.`;

export function lookupReadme(lookup: Lookup, { baseUrl }: IacModel, hash: string): string {
  const { title, isFiltered, name, key, permission } = lookup;
  const module = lookupName(lookup);
  const usage = block(`module ${quoted(module)}`, [
    assign('source', quoted(`${baseUrl}/iac/terraform/modules/${module}.tar.gz`)),
  ]);
  const inputs = isFiltered
    ? tableOf(
        ['input', 'type', 'default', 'meaning'],
        [['`name`', 'string', '', `Only the ${name} with this name. Without it: all of them.`]],
      )
    : 'None.';
  return `# ${title}: module \`${module}\`

${lookupText(lookup)}

Made from the specification \`${hash}\` of ${baseUrl}.

\`\`\`hcl
${aligned(usage)}

output "found" {
  value = ${key === 'slug' ? `module.${module}.slugs` : `module.${module}.ids["my-own"]`}
}
\`\`\`

## Inputs

${inputs}

## Outputs

${tableOf(
  ['output', 'meaning'],
  outputsOf(lookup).map((output) => [`\`${output.name}\``, output.description]),
)}

## Permissions

${keyText('this module', baseUrl, [permission])}

## Import

There is nothing to import: the module makes nothing.
`;
}
