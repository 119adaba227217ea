/** All files for Terraform and OpenTofu, by path. */
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import { tableOf } from '../readme.ts';
import { lookupFiles, lookupName, lookupReadme, lookupText } from './lookup.ts';
import { moduleFiles, providerFile } from './module.ts';
import { readmeOf } from './readme.ts';
import { scenarioFiles, scenarioParts } from './scenarios.ts';
import { settingFiles, settingReadme, settingText } from './setting.ts';

const note = (hash: string): string =>
  `# Made from the specification ${hash}. Download it again instead of changing it.\n\n`;

/** `README.md` of the folder: where to begin. */
function overview(model: IacModel, hash: string): string {
  const parts = terraformParts(model);
  const tableFor = (wanted: Part['kind']): string =>
    tableOf(
      [wanted, 'what it makes'],
      parts
        .filter(({ kind }) => kind === wanted)
        .map(({ name, path, title }) => [`[${name}](${path.replace('terraform/', '')}/README.md)`, title]),
    );
  return `# Terraform and OpenTofu

Made from the specification \`${hash}\` of ${model.baseUrl}. Download the files again instead of changing them.

Begin with a scenario, or copy \`provider.tf\` beside your own file and use the modules there. The key comes from the environment: \`export TF_VAR_hostplane_api_key=…\`. The README of each part has an example, its inputs, and the least permissions that a key needs.

${tableFor('scenario')}

${tableFor('module')}
`;
}

export function terraformFiles(model: IacModel, hash: string): Record<string, string> {
  const files: Record<string, string> = {
    'terraform/provider.tf': `${note(hash)}${providerFile(model.baseUrl)}`,
    ...scenarioFiles(model, hash, note(hash)),
    'terraform/README.md': overview(model, hash),
  };
  const add = (module: string, code: Readonly<Record<string, string>>, readme: string): void => {
    const folder = `terraform/modules/${module}`;
    for (const [name, text] of Object.entries(code)) files[`${folder}/${name}`] = `${note(hash)}${text}`;
    files[`${folder}/README.md`] = readme;
  };
  for (const resource of [...model.resources, ...model.attachments])
    add(resource.name, moduleFiles(resource, model), readmeOf(resource, model, hash));
  for (const setting of model.settings)
    add(setting.name, settingFiles(setting, model), settingReadme(setting, model, hash));
  for (const lookup of model.lookups)
    add(lookupName(lookup), lookupFiles(lookup), lookupReadme(lookup, model, hash));
  return files;
}

const modulePart = ({
  name,
  title,
  text,
  permissions,
}: Pick<Part, 'name' | 'title' | 'text' | 'permissions'>): Part => {
  const path = `terraform/modules/${name}`;
  return {
    tool: 'terraform',
    kind: 'module',
    name,
    title,
    text,
    path,
    archive: `${path}.tar.gz`,
    permissions,
  };
};

export const terraformParts = (model: IacModel): Part[] => [
  ...scenarioParts(model),
  ...[...model.resources, ...model.attachments].map((resource) =>
    modulePart({ ...resource, text: resource.description }),
  ),
  ...model.settings.map((setting) => modulePart({ ...setting, text: settingText(setting) })),
  ...model.lookups.map((lookup) =>
    modulePart({
      name: lookupName(lookup),
      title: lookup.title,
      text: lookupText(lookup),
      permissions: [lookup.permission],
    }),
  ),
];
