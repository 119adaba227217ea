/** `README.md` of the collection and of each role. */
import type { Member } from '../inputs.ts';
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import { keyText, tableOf } from '../readme.ts';
import type { Details } from './details.ts';
import { COLLECTION } from './role.ts';
import { type Option, roleOptions, variableOf } from './variables.ts';
import { yamlOf } from './yaml.ts';

function typeWords({ type, elements, options, choices }: Option): string {
  const members = options === undefined ? '' : `: ${Object.keys(options).join(', ')}`;
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  return type === 'list' ? `list of ${elements}${members}` : `${type}${members}`;
}

const usualWords = (usual: unknown): string => (usual === undefined ? '' : `\`${JSON.stringify(usual)}\``);

/** The example of the document as variables of the role. */
function exampleVariables(resource: ManagedResource): Record<string, unknown> {
  const { parent, isDeclared, key, inputs, example } = resource;
  const known = (input: Member) => example[input.name] !== undefined;
  return {
    ...(parent && { [variableOf(resource, parent.input)]: `{{ ${parent.name}_result.id }}` }),
    ...(isDeclared && { [variableOf(resource, key)]: 'my-own' }),
    ...Object.fromEntries(
      inputs.filter(known).map(({ name }) => [variableOf(resource, name), example[name]]),
    ),
  };
}

export function roleReadme(
  resource: ManagedResource,
  details: Details,
  { model, hash }: { model: IacModel; hash: string },
): string {
  const { name, title, outputs, key, isDeclared, parent } = resource;
  const { by } = details.finding;
  const identity = `\`${variableOf(resource, by)}\``;
  const options = Object.entries(roleOptions(resource, details));
  const play = [
    {
      hosts: 'localhost',
      connection: 'local',
      gather_facts: false,
      roles: [{ role: `${COLLECTION}.${name}`, ...exampleVariables(resource) }],
    },
  ];
  const hasId = key === 'id' && !isDeclared;
  const example =
    parent === undefined
      ? ''
      : ` The role \`${parent.name}\` sets \`${parent.name}_result\` if it ran before; the id of any ${parent.name} does as well.`;
  const byId = hasId
    ? ` If you know its id, set \`${variableOf(resource, 'id')}\` instead${by === 'name' ? '; then another name renames it, where the API can' : ''}.`
    : '';
  return `# ${title}: role \`${COLLECTION}.${name}\`

${resource.description}

Made from the specification \`${hash}\` of ${model.baseUrl}.

\`\`\`yaml
${yamlOf(play).trimEnd()}
\`\`\`

The key comes from the environment variable \`HOSTPLANE_API_KEY\`, the address of the API from \`HOSTPLANE_URL\`. [How to install the collection](../../README.md).${example}

The role finds the ${name} by ${identity}, compares it with the inputs that you set, and creates or changes it. An input that you do not set is left as it is; the defaults below are those of a new ${name}. \`--check\` writes nothing, \`--diff\` shows what changes. Unchanged, it costs one request.

## Inputs

${tableOf(
  ['variable', 'type', 'default', 'meaning'],
  options.map(([variable, option]) => [
    `\`${variable}\``,
    typeWords(option),
    option.required === true
      ? '**required**'
      : variable === variableOf(resource, by)
        ? `**required**${hasId ? ` without \`${variableOf(resource, 'id')}\`` : ''}`
        : usualWords(option.default),
    option.description.join(' '),
  ]),
)}

## Outputs

The fact \`${name}_result\` is the ${name} as the API shows it, or empty if it is absent. When it was just created, it also has what is shown only once. Among its members:

${tableOf(
  ['member', 'meaning'],
  outputs.map((output) => [`\`${output.name}\``, output.description]),
)}

## Permissions

${keyText('this role', model.baseUrl, details.permissions)}

## Adopt one that exists

Set ${identity} to what the existing ${name} has, and run the playbook with \`--check --diff\`: it shows what would be changed. There is no state to import.${byId}
`;
}

export const collectionReadme = ({ resources, baseUrl, title }: IacModel, hash: string): string => `\
# Ansible collection \`${COLLECTION}\`: ${title}

Made from the specification \`${hash}\` of ${baseUrl}: one role for each resource that the API can create. Ansible needs nothing else: the roles use only \`ansible.builtin\` (ansible-core 2.14 or newer).

\`\`\`sh
curl -fsS ${baseUrl}/iac/hostplane-iac.tar.gz | tar xz
ansible-galaxy collection install ./ansible
export HOSTPLANE_URL=${baseUrl}
export HOSTPLANE_API_KEY=…
cd ansible/playbooks/web-machine
ansible-playbook playbook.yml -e @settings.yml --check --diff
\`\`\`

The key comes only from the environment, and no output has it, whatever the verbosity is. After a 429 the roles wait as long as the API asks for. If a creation fails, nothing stays, and the next run tries again.

${tableOf(
  ['role', 'what it manages'],
  resources.map(({ name, title: each }) => [`[\`${name}\`](roles/${name}/README.md)`, each]),
)}

If something differs that cannot be changed, the role refuses and says what. Set \`<role>_replace: true\` to delete the resource and create it again, with all that is in it lost.
`;
