/** All files for Terraform and OpenTofu, by path. */
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import { tableOf } from '../readme.ts';
import { moduleFiles, providerFile } from './module.ts';
import { readmeOf } from './readme.ts';
import { scenarioFiles, scenarioParts } from './scenarios.ts';

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
  for (const resource of model.resources) {
    const folder = `terraform/modules/${resource.name}`;
    for (const [name, text] of Object.entries(moduleFiles(resource, model)))
      files[`${folder}/${name}`] = `${note(hash)}${text}`;
    files[`${folder}/README.md`] = readmeOf(resource, model, hash);
  }
  return files;
}

export const terraformParts = (model: IacModel): Part[] => [
  ...scenarioParts(model),
  ...model.resources.map(({ name, title, description, permissions }): Part => {
    const path = `terraform/modules/${name}`;
    const archive = `${path}.tar.gz`;
    return { tool: 'terraform', kind: 'module', name, title, text: description, path, archive, permissions };
  }),
];
