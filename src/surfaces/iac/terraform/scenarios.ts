/** Whole configurations to begin with. Each is there if the document has all resources that it uses. */
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import { keyText, tableOf } from '../readme.ts';
import { providerFile } from './module.ts';

interface Variable {
  readonly name: string;
  readonly description: string;
  readonly type?: string;
  readonly default?: string;
}

interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly uses: readonly string[];
  readonly variables: readonly Variable[];
  readonly main: string;
}

const place: readonly Variable[] = [
  { name: 'location', description: 'The slug of a location: GET /flexible-vps/v1/locations lists them.' },
  { name: 'plan', description: 'The slug of a plan: GET /flexible-vps/v1/plans lists them.' },
  { name: 'image', description: 'The slug of an image: GET /flexible-vps/v1/images lists them.' },
  { name: 'public_key', description: 'The public SSH key that may sign in, in one line.' },
];

const scenarios: readonly Scenario[] = [
  {
    name: 'web-machine',
    title: 'A web machine',
    text: 'A machine with a private network, an SSH key and a snapshot of its first state.',
    uses: ['vm', 'network', 'ssh_key', 'interface', 'snapshot'],
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
  {
    name: 'fleet',
    title: 'A fleet behind a placement group',
    text: 'Several machines of the same kind, which run on different hosts.',
    uses: ['vm', 'placement_group', 'ssh_key'],
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
  {
    name: 'budget-alarm',
    title: 'A budget with an alarm',
    text: 'A monthly budget for the account, and a webhook that tells you when it runs out.',
    uses: ['budget', 'webhook'],
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
];

function variablesFile({ variables }: Scenario): string {
  const blocks = variables.map(
    ({ name, description, type = 'string', default: usual }) => `variable "${name}" {
  description = "${description}"
  type        = ${type}
${usual === undefined ? '' : `  default     = ${usual}\n`}}
`,
  );
  return blocks.join('\n');
}

function permissionsOf({ uses }: Scenario, { resources }: IacModel): string[] {
  const used = resources.filter(({ name }) => uses.includes(name));
  return [...new Set(used.flatMap(({ permissions }) => permissions))].sort();
}

function readme(scenario: Scenario, model: IacModel, hash: string): string {
  const { title, text, variables, name } = scenario;
  const { baseUrl } = model;
  const permissions = permissionsOf(scenario, model);
  const needed = variables.filter((each) => each.default === undefined);
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

${tableOf(
  ['input', 'default', 'meaning'],
  variables.map((each) => [
    `\`${each.name}\``,
    each.default === undefined ? '**required**' : `\`${each.default}\``,
    each.description,
  ]),
)}

${keyText('it', baseUrl, permissions)}
`;
}

function usable({ resources }: IacModel): Scenario[] {
  const known = new Set(resources.map(({ name }) => name));
  return scenarios.filter(({ uses }) => uses.every((name) => known.has(name)));
}

export const scenarioParts = (model: IacModel): Part[] =>
  usable(model).map((scenario): Part => {
    const { name, title, text } = scenario;
    const path = `terraform/scenarios/${name}`;
    const permissions = permissionsOf(scenario, model);
    return { tool: 'terraform', kind: 'scenario', name, title, text, path, archive: null, permissions };
  });

export function scenarioFiles(model: IacModel, hash: string, note: string): Record<string, string> {
  return Object.fromEntries(
    usable(model).flatMap((scenario) => {
      const folder = `terraform/scenarios/${scenario.name}`;
      return [
        [`${folder}/main.tf`, `${note}${scenario.main}`],
        [`${folder}/variables.tf`, `${note}${variablesFile(scenario)}`],
        [`${folder}/provider.tf`, `${note}${providerFile(model.baseUrl)}`],
        [`${folder}/README.md`, readme(scenario, model, hash)],
      ];
    }),
  );
}
