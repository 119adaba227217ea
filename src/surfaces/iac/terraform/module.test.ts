import { describe, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { iacModel } from '../model.ts';
import { aligned, literal, quoted } from './hcl.ts';
import { moduleFiles } from './module.ts';
import { readmeOf } from './readme.ts';
import { moduleOfExisting } from './usage.ts';
import { moduleInputs, needsPermission } from './variables.ts';

const model = iacModel(exampleDocument(buildRegistry(families)));

describe.each([...model.resources, ...model.attachments])('the module $name', (resource) => {
  const files = moduleFiles(resource, model);
  const main = files['main.tf'] ?? '';
  const inputs = moduleInputs(resource);
  const isInBody = ({ name }: { name: string }): boolean => !resource.isDeclared || name !== resource.key;
  const listed = (argument: string): string => new RegExp(`${argument} += (.*)`).exec(main)?.[1] ?? '';

  it('replaces the resource for each input that cannot be changed', () => {
    const fixed = inputs.filter((input) => input.change === 'replace' && isInBody(input));
    const attributes = listed('force_new_attrs');
    expect(fixed.filter(({ name }) => !new RegExp(`"${name}[".]`).test(attributes))).toEqual([]);
  });

  it('ignores later values of each input that is used once, and of no other', () => {
    const ignored = [...listed('ignore_changes').matchAll(/body\.(\w+)(?!\w|\.)/g)].map(([, name]) => name);
    const once = inputs.filter(({ change }) => change === 'once').map(({ name }) => name);
    expect(ignored.sort()).toEqual(once.sort());
  });

  it('has a variable for each input, and no other but those for its parent and the permission to replace', () => {
    const named = [...(files['variables.tf'] ?? '').matchAll(/^variable "(\w+)"/gm)].map(([, name]) => name);
    const parent = resource.parent === undefined ? [] : [resource.parent.input];
    const permission = needsPermission(resource) ? ['allow_replacement'] : [];
    expect(named).toEqual([...parent, ...inputs.map(({ variable }) => variable), ...permission]);
  });

  it('replaces what it would destroy only if allowed, and compares each input that could cause it', () => {
    const fixed = inputs.filter(({ change }) => change === 'replace').map(({ variable }) => variable);
    const parent = resource.parent === undefined ? [] : [resource.parent.input];
    const isGuarded = resource.loss !== undefined && [...fixed, ...parent].length > 0;
    expect(needsPermission(resource)).toBe(isGuarded);
    const [, compared = ''] = /^ {2}fixed += \{\n([^}]*)\}/m.exec(main) ?? [];
    const names = [...compared.matchAll(/^ +(\w+) += jsonencode/gm)].map(([, name]) => name);
    expect(names.sort()).toEqual(isGuarded ? [...parent, ...fixed].sort() : []);
    if (!isGuarded) return;
    expect(main).toMatch(
      /force_new_attrs += (?:concat\(\["gone"\], var\.allow_replacement \? |\["gone"\]\n)/,
    );
    expect(files['outputs.tf']).toContain(
      'condition     = var.allow_replacement || length(local.replacing) == 0',
    );
    expect(files['outputs.tf']).toContain(resource.loss);
  });

  it('gives each variable that need not be set the default of the API', () => {
    for (const { variable, required, default: usual } of inputs) {
      const text = (files['variables.tf'] ?? '').split(`variable "${variable}" {`)[1]?.split('\n}')[0] ?? '';
      const [, written] = /^ {2}default +=(.*)$/m.exec(text) ?? [];
      expect([variable, written]).toEqual([variable, required ? undefined : ` ${literal(usual ?? null)}`]);
    }
  });

  it('sends the value of each variable under the name of its input', () => {
    const body = main.slice(main.indexOf('  body ='), main.indexOf('resource "restful_resource"'));
    for (const { name, variable } of inputs.filter(isInBody)) {
      const [, sent] = new RegExp(`(?:^ +|\\{ )${name} += [^]*?\\bvar\\.(\\w+)`, 'm').exec(body) ?? [];
      expect([name, sent]).toEqual([name, variable]);
    }
  });

  it('takes over a resource that exists: with each required input, with what it has now, and its import', () => {
    const shown = { ...resource.example, description: 'As it is', [resource.key]: 'the-key' };
    const text = moduleOfExisting(resource, model, { shown, parent: 'the-parent' });
    expect(text).toContain(`format(module.${resource.name}.import_as, "the-key")`);
    const [, written = ''] = /^module "\w+" \{\n([\s\S]*?)\n\}\n/.exec(text) ?? [];
    const names = [...written.matchAll(/^ {2}(\w+) += /gm)].map(([, name]) => name);
    const required = inputs.filter((input) => input.required).map(({ variable }) => variable);
    expect(names).toEqual(expect.arrayContaining(required));
    if (resource.parent !== undefined) expect(text).toMatch(/ += "the-parent"/);
    if (inputs.some(({ name }) => name === 'description')) expect(text).toContain('"As it is"');
  });

  it('takes few lines to use, and its README lists its inputs, outputs and permissions', () => {
    const readme = readmeOf(resource, model, 'hash');
    const [, usage = ''] = /```hcl\n(module[\s\S]*?)\n```/.exec(readme) ?? [];
    expect(usage.split('\n').length).toBeLessThan(10);
    // Ids come from the modules that make the resources; only addresses have no module yet.
    expect(usage).not.toMatch(/"(?!ip_)[a-z]+_0[0-9a-z]{25}"/);
    const words = [
      ...inputs.map(({ variable }) => `\`${variable}\``),
      ...resource.outputs.map(({ name }) => `\`${name}\``),
      ...resource.permissions.map((permission) => `--permission ${permission}`),
      `/portal/api/keys?create=${resource.permissions.join(',')}`,
      'import {',
    ];
    expect(words.filter((word) => !readme.includes(word))).toEqual([]);
  });
});

it('template expressions in texts are escaped', () => {
  expect(quoted(`a "b" \${c} %{d}`)).toBe(`"a \\"b\\" $\${c} %%{d}"`);
  expect(literal({ a: [1, null], 'b c': { d: true } })).toBe('{ a = [1, null], "b c" = { d = true } }');
});

it('only consecutive one-line assignments are aligned', () => {
  expect(aligned('a = 1\nlong = "[{"\nb = {\n  c = 1\n}\nd = 2')).toBe(
    'a    = 1\nlong = "[{"\nb = {\n  c = 1\n}\nd = 2',
  );
});
