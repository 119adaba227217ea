/** The module of a setting: one `restful_resource` that sets the member, sets it again if others change it, and clears it. */
import type { IacModel } from '../model.ts';
import { keyText, tableOf } from '../readme.ts';
import type { Setting } from '../settings.ts';
import { aligned, assign, block, braces, literal, quoted } from './hcl.ts';
import { versions } from './module.ts';
import { pollOf, UNLESS_GONE, WAIT, waitLocals } from './poll.ts';
import { MARKED } from './read-back.ts';
import { turnWith } from './turns.ts';
import { typeOf } from './types.ts';

const ownerInput = ({ of }: Setting): string => `${of.name}_id`;

const targetOf = ({ member }: Setting, { lists }: IacModel): string => lists[member.ref?.list ?? ''] ?? '';

function mainOf(setting: Setting, model: IacModel): string {
  const { of, member, call, fixed, clear, moves, shownAt } = setting;
  const pathTo = (path: string): string =>
    quoted(path.replace(`{${of.parameter}}`, `@{owner}`)).replace(
      '@{owner}',
      `\${var.${ownerInput(setting)}}`,
    );
  const called = (name: string): string[] => [
    ...(call.waits ? [assign(`${name}_header`, WAIT)] : []),
    ...pollOf(`poll_${name}`, { call }),
    assign(`precheck_${name}`, 'local.turn'),
  ];
  return [
    block('locals', [
      ...waitLocals([{ call, mayBeGone: true }]),
      '# A machine or the like does one thing at a time: what it is needed for waits for its turn.',
      assign(
        'turn',
        turnWith(
          { [of.name]: `var.${ownerInput(setting)}`, [targetOf(setting, model)]: `var.${member.name}` },
          model,
        ),
      ),
    ]),
    block('resource "restful_resource" "this"', [
      assign('path', pathTo(call.path)),
      ...(call.path === of.read.path ? [] : [assign('read_path', pathTo(of.read.path))]),
      MARKED,
      assign('read_selector', quoted(`{"${member.name}":${shownAt}}`)),
      '',
      assign(
        'body',
        braces([
          ...Object.entries(fixed).map(([name, value]) => assign(name, literal(value))),
          assign(member.name, `var.${member.name}`),
        ]),
      ),
      ...(Object.keys(fixed).length === 0 ? [] : [assign('write_only_attrs', literal(Object.keys(fixed)))]),
      assign('output_attrs', literal([member.name])),
      '',
      assign('create_method', quoted(call.method)),
      ...called('create'),
      '',
      assign('update_method', quoted(call.method)),
      assign('update_path', quoted('$(path)')),
      ...called('update'),
      // The value may be another resource's now.
      ...(moves ? ['update_body_patches = [{ path = "move", raw_json = "true" }]'] : []),
      '',
      assign('delete_method', quoted(call.method)),
      assign('delete_path', quoted('$(path)')),
      assign('delete_body', literal(clear)),
      '# What others have deleted is connected to nothing any more.',
      assign('delete_header', UNLESS_GONE),
      ...pollOf('poll_delete', { call, mayBeGone: true }),
      assign('precheck_delete', 'local.turn'),
    ]),
  ].join('\n\n');
}

function variablesOf(setting: Setting, model: IacModel): string {
  const { of, member } = setting;
  const variable = (name: string, description: string, type: string): string =>
    block(`variable ${quoted(name)}`, [
      assign('description', quoted(description)),
      assign('type', type),
      assign('nullable', 'false'),
    ]);
  return [
    variable(ownerInput(setting), `The id of the ${of.name}.`, 'string'),
    variable(member.name, `The id of the ${targetOf(setting, model)}.`, typeOf(member)),
  ].join('\n\n');
}

function outputsOf(setting: Setting, model: IacModel): string {
  const { member } = setting;
  return block(`output ${quoted(member.name)}`, [
    assign('description', quoted(`The id of the ${targetOf(setting, model)}.`)),
    assign('value', `try(restful_resource.this.output.${member.name}, null)`),
  ]);
}

export function settingFiles(setting: Setting, model: IacModel): Readonly<Record<string, string>> {
  const code = {
    'versions.tf': versions,
    'variables.tf': variablesOf(setting, model),
    'main.tf': mainOf(setting, model),
    'outputs.tf': outputsOf(setting, model),
  };
  return Object.fromEntries(Object.entries(code).map(([name, text]) => [name, `${aligned(text)}\n`]));
}

export const settingText = ({ of, member }: Setting): string =>
  `Sets \`${member.name}\` of a ${of.name} that exists. \`destroy\` takes the value away and leaves both resources as they are.`;

export function settingReadme(setting: Setting, model: IacModel, hash: string): string {
  const { name, title, of, member, permissions } = setting;
  const { baseUrl } = model;
  const target = targetOf(setting, model);
  const usage = block(`module ${quoted(name)}`, [
    assign('source', quoted(`${baseUrl}/iac/terraform/modules/${name}.tar.gz`)),
    assign(ownerInput(setting), `module.${of.name}.id`),
    assign(member.name, `module.${target}.id`),
  ]);
  return `# ${title}: module \`${name}\`

${settingText(setting)} If others change the value, the next plan sets it again.

Made from the specification \`${hash}\` of ${baseUrl}.

\`\`\`hcl
${aligned(usage)}
\`\`\`

## Inputs

${tableOf(
  ['input', 'type', 'default', 'if changed', 'meaning'],
  [
    [`\`${ownerInput(setting)}\``, 'string', '**required**', 'is replaced', `The id of the ${of.name}.`],
    [`\`${member.name}\``, member.type.kind, '**required**', 'is changed', `The id of the ${target}.`],
  ],
)}

## Outputs

${tableOf(['output', 'meaning'], [[`\`${member.name}\``, `The id of the ${target}.`]])}

## Permissions

${keyText('this module', baseUrl, permissions)}

## Import

There is nothing to import: the first \`apply\` finds the value that is there, and leaves it as it is.
`;
}
