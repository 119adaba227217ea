import { expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { iacModel } from '../model.ts';
import { detailsIn } from './details.ts';
import { ansibleFiles } from './files.ts';
import { roleOptions } from './variables.ts';

const HASH = 'the-hash-of-the-document';
const document = exampleDocument(buildRegistry(families));
const model = iacModel(document);
const detailsOf = detailsIn(document);
const files = () =>
  ansibleFiles({ model: iacModel(document), document, detailsOf: detailsIn(document), hash: HASH });

it('the collection has the same bytes for the same document', () => {
  expect(files()).toEqual(files());
});

it('every file of the collection says which document it was made from', () => {
  const without = Object.entries(files()).filter(([, text]) => !text.includes(HASH));
  expect(without.map(([path]) => path)).toEqual([]);
});

it('no two roles have the same variable', () => {
  const variables = model.resources.flatMap((resource) =>
    Object.keys(roleOptions(resource, detailsOf(resource))),
  );
  expect(variables.filter((each, i) => variables.indexOf(each) !== i)).toEqual([]);
});

it('each role has a README that says how to get a key with just the permissions that it needs', () => {
  const made = files();
  for (const { name } of model.resources) {
    const readme = made[`ansible/roles/${name}/README.md`] ?? '';
    for (const part of [
      '## Inputs',
      '## Outputs',
      '## Permissions',
      '/portal/api/keys?create=',
      'keys create',
      '## Adopt',
    ])
      expect(readme, name).toContain(part);
  }
});
