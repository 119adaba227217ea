/** The scenarios as root configurations that use the modules. */
import type { ManagedResource } from '../managed.ts';
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import { keyText, tableOf } from '../readme.ts';
import { permissionsFor, type Scenario, type ScenarioName, scenarioPart, scenariosOf } from '../scenarios.ts';
import { providerFile } from './module.ts';

interface Variable {
  readonly name: string;
  readonly description: string;
  readonly type?: string;
  readonly default?: string;
}

interface Configuration {
  readonly variables: readonly Variable[];
  readonly main: string;
}

const FOLDER = 'terraform/scenarios';

const place: readonly Variable[] = [
  { name: 'location', description: 'The slug of a location: GET /flexible-vps/v1/locations lists them.' },
  { name: 'plan', description: 'The slug of a plan: GET /flexible-vps/v1/plans lists them.' },
  { name: 'image', description: 'The slug of an image: GET /flexible-vps/v1/images lists them.' },
  { name: 'public_key', description: 'The public SSH key that may sign in, in one line.' },
];

const configurations: Readonly<Record<ScenarioName, Configuration>> = {
  'web-machine': {
    variables: [{ name: 'name', description: 'The name of the machine.', default: '"web"' }, ...place],
    main: `module "ssh_key" {
  source     = "../../modules/ssh_key"
  name       = var.name
  public_key = var.public_key
}

module "network" {
  source    = "../../modules/network"
  name      = var.name
  location  = var.location
  ipv4_cidr = "10.10.0.0/24"
}

module "web" {
  source      = "../../modules/vm"
  name        = var.name
  location    = var.location
  plan        = var.plan
  vm_source   = { type = "image", image_id = var.image }
  ssh_key_ids = [module.ssh_key.id]
}

module "interface" {
  source     = "../../modules/interface"
  vm_id      = module.web.id
  network_id = module.network.id
}

module "snapshot" {
  source     = "../../modules/snapshot"
  vm_id      = module.web.id
  name       = "first"
  depends_on = [module.interface]
}

output "address" {
  value = module.web.primary_ipv4
}
`,
  },
  fleet: {
    variables: [
      { name: 'name', description: 'The beginning of all names.', default: '"fleet"' },
      { name: 'machines', description: 'How many machines there are.', type: 'number', default: '3' },
      ...place,
    ],
    main: `module "ssh_key" {
  source     = "../../modules/ssh_key"
  name       = var.name
  public_key = var.public_key
}

module "group" {
  source   = "../../modules/placement_group"
  name     = var.name
  location = var.location
  policy   = "spread"
}

module "machine" {
  source             = "../../modules/vm"
  count              = var.machines
  name               = "\${var.name}-\${count.index + 1}"
  location           = var.location
  plan               = var.plan
  vm_source          = { type = "image", image_id = var.image }
  ssh_key_ids        = [module.ssh_key.id]
  placement_group_id = module.group.id
}

output "addresses" {
  value = module.machine[*].primary_ipv4
}
`,
  },
  'budget-alarm': {
    variables: [
      { name: 'name', description: 'The name of the budget and of the webhook.', default: '"alarm"' },
      {
        name: 'amount',
        description: 'The most to spend in a month, with two decimals.',
        default: '"100.00"',
      },
      { name: 'url', description: 'Where the messages are sent to, over https.' },
    ],
    main: `module "webhook" {
  source      = "../../modules/webhook"
  name        = var.name
  url         = var.url
  event_types = ["budget.*"]
}

module "budget" {
  source = "../../modules/budget"
  name   = var.name
  amount = var.amount
  thresholds = [
    { percent = 80 },
    { percent = 100, basis = "forecast" },
  ]
  depends_on = [module.webhook]
}
`,
  },
};

function variablesFile({ variables }: Configuration): string {
  const blocks = variables.map(
    ({ name, description, type = 'string', default: usual }) => `variable "${name}" {
  description = "${description}"
  type        = ${type}
${usual === undefined ? '' : `  default     = ${usual}\n`}}
`,
  );
  return blocks.join('\n');
}

const permissionsOf = ({ permissions }: ManagedResource): readonly string[] => permissions;

/** The values that the configuration prints when it is applied. */
const outputsIn = ({ main }: Configuration): string[] =>
  [...main.matchAll(/^output "(\w+)"/gm)].map(([, name]) => `\`${name}\``);

function readme(scenario: Scenario, { baseUrl }: IacModel, hash: string): string {
  const { title, text, name, uses } = scenario;
  const configuration = configurations[name];
  const { variables } = configuration;
  const needed = variables.filter((each) => each.default === undefined);
  const outputs = outputsIn(configuration);
  const modules = uses.map((each) => `[${each.name}](../../modules/${each.name}/README.md)`);
  return `# ${title}

${text}

Made from the specification \`${hash}\` of ${baseUrl}.

\`\`\`sh
curl -fsS ${baseUrl}/iac/hostplane-iac.tar.gz | tar xz
cd terraform/scenarios/${name}
export TF_VAR_hostplane_api_key=…
tofu init
tofu apply${needed.map((each) => ` -var ${each.name}=…`).join('')}
\`\`\`

## Inputs

${tableOf(
  ['input', 'default', 'meaning'],
  variables.map((each) => [
    `\`${each.name}\``,
    each.default === undefined ? '**required**' : `\`${each.default}\``,
    each.description,
  ]),
)}

## Outputs

${outputs.length === 0 ? 'None.' : `${outputs.join(', ')}. \`tofu output\` prints what the last \`apply\` has found.`}

## Permissions

${keyText('it', baseUrl, permissionsFor(scenario, permissionsOf))}

## Import

What exists already is imported into the modules that it uses; the README of each has the block: ${modules.join(', ')}.
`;
}

export const scenarioParts = (model: IacModel): Part[] =>
  scenariosOf(model).map((scenario) =>
    scenarioPart('terraform', FOLDER, scenario, permissionsFor(scenario, permissionsOf)),
  );

export function scenarioFiles(model: IacModel, hash: string, note: string): Record<string, string> {
  return Object.fromEntries(
    scenariosOf(model).flatMap((scenario) => {
      const folder = `${FOLDER}/${scenario.name}`;
      const configuration = configurations[scenario.name];
      return [
        [`${folder}/main.tf`, `${note}${configuration.main}`],
        [`${folder}/variables.tf`, `${note}${variablesFile(configuration)}`],
        [`${folder}/provider.tf`, `${note}${providerFile(model.baseUrl)}`],
        [`${folder}/README.md`, readme(scenario, model, hash)],
      ];
    }),
  );
}
