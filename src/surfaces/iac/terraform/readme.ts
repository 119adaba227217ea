/** `README.md` of a module. */
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import { keyText, tableOf } from '../readme.ts';
import { literal } from './hcl.ts';
import { importBlock, moduleUsage } from './usage.ts';
import { type ModuleInput, moduleInputs, needsPermission } from './variables.ts';

const shortType = ({ type }: Member): string => {
  if (type.kind === 'list') return `list of ${shortType(type.items)}`;
  if (type.kind === 'map') return `map of ${shortType(type.values)}`;
  if (type.kind !== 'object') return type.kind;
  return `object: ${type.members.map(({ name, required }) => (required ? name : `${name}?`)).join(', ')}`;
};

const laterWords = { update: 'is changed', replace: 'is replaced', once: 'stays as it is' } as const;

function inputRow(input: ModuleInput): string[] {
  const usual = input.default === undefined ? '' : `\`${literal(input.default)}\``;
  return [
    `\`${input.variable}\``,
    shortType(input),
    input.required ? '**required**' : usual,
    input.action === undefined ? laterWords[input.change] : laterWords.update,
    input.description,
  ];
}

const placeholderOf = ({ key, isDeclared }: ManagedResource): string =>
  isDeclared ? 'my-own' : `THE_${key.toUpperCase()}`;

/** How a resource is imported whose id is not at hand. */
const byName = ({ name, key, isDeclared, parent }: ManagedResource): string =>
  isDeclared || parent !== undefined || key !== 'id'
    ? ''
    : ` With the module \`find_${name}\`, its name will do: \`format(module.${name}.import_as, module.find_${name}.ids["its-name"])\`.`;

export function readmeOf(resource: ManagedResource, model: IacModel, hash: string): string {
  const { baseUrl } = model;
  const { name, title, description, permissions, outputs, parent } = resource;
  const parentRow =
    parent === undefined
      ? []
      : [[`\`${parent.input}\``, 'string', '**required**', 'is replaced', `The id of the ${parent.name}.`]];
  const permissionRow = needsPermission(resource)
    ? [
        [
          '`allow_replacement`',
          'boolean',
          '`false`',
          '',
          `Whether it may be deleted and created again. Without it, a plan that would do that fails. ${resource.loss}`,
        ],
      ]
    : [];
  return `# ${title}: module \`${name}\`

${description}

Made from the specification \`${hash}\` of ${baseUrl}. It needs the provider \`magodo/restful\`; \`provider.tf\` beside the modules configures it, with the key from the environment.

\`\`\`hcl
${moduleUsage(resource, model)}
\`\`\`

## Inputs

"If changed" says what happens to the resource if the value is another one later.

${tableOf(['input', 'type', 'default', 'if changed', 'meaning'], [...parentRow, ...moduleInputs(resource).map(inputRow), ...permissionRow])}

## Outputs

${tableOf(
  ['output', 'meaning'],
  outputs.map((output) => [`\`${output.name}\``, output.description]),
)}

## Permissions

${keyText('this module', baseUrl, permissions)}

## Import

Write the module as above, add this block, run \`plan\`, and remove the block when it is applied.${byName(resource)}

\`\`\`hcl
${importBlock(resource, placeholderOf(resource))}
\`\`\`
`;
}
