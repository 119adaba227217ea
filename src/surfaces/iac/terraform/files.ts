/** All files for Terraform and OpenTofu, by path. */
import type { IacModel } from '../model.ts';
import type { Part } from '../parts.ts';
import { moduleFiles, providerFile } from './module.ts';
import { readmeOf } from './readme.ts';
import { scenarioFiles, scenarioParts } from './scenarios.ts';

const note = (hash: string): string =>
  `# Made from the specification ${hash}. Download it again instead of changing it.\n\n`;

export function terraformFiles(model: IacModel, hash: string): Record<string, string> {
  const files: Record<string, string> = {
    'terraform/provider.tf': `${note(hash)}${providerFile(model.baseUrl)}`,
    ...scenarioFiles(model, note(hash)),
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
