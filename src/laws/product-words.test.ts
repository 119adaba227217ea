/** The layers below the families know no product: what belongs to one family stands in its folder and is collected. */
import { describe, expect, it } from 'vitest';
import { families, unbuiltFamilies } from '../families/index.ts';
import { exemptFrom } from './exemptions.ts';
import { type SourceFile, shipped } from './sources.ts';

const products = [...families, ...unbuiltFamilies].filter(({ name }) => name !== 'account');
const types = new Set([
  ...families
    .filter(({ name }) => name !== 'account')
    .flatMap(({ resources = [] }) => resources.map(({ type }) => type)),
  ...products.flatMap(({ pricedTypes = {} }) => Object.keys(pricedTypes)),
]);

/** `ssh_key`, `ssh_keys`, `ssh-key` and `ssh-keys`, as they are written in types, members, limits and permissions. */
const words = new Set(
  [...types].flatMap((type) => [type, type.replaceAll('_', '-')]).flatMap((word) => [word, `${word}s`]),
);

/** A permission, a limit, a path or the first part of a permission pattern: `flexible-vps:vms:read`, `/flexible-vps/v1`. */
const ofFamily = new RegExp(
  `(?:^|[\\s/'"\`])(?:${products.map(({ name }) => name).join('|')})(?:[:/]|\\.[a-z])`,
);

const withoutComments = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/^import [^;]*;$/gm, '');

/** The texts of a file that are the word for a resource of a product, or name something of a family. */
function productWordsIn({ text }: SourceFile): string[] {
  const literals = withoutComments(text).match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
  return literals
    .map((literal) => literal.slice(1, -1))
    .filter((text) => words.has(text) || ofFamily.test(text));
}

const below = shipped.filter(({ path }) => /^src\/(kernel|provider|money|pipeline)\//.test(path));

describe('the layers below the families', () => {
  it('name no resource, permission, limit or path of a product', () => {
    const wrong = below.filter((file) => productWordsIn(file).length > 0).map(({ path }) => path);
    expect(wrong.sort()).toEqual(exemptFrom('productWords'));
  });

  it('would be found if they did', () => {
    const file = (text: string) => ({ path: 'src/kernel/a.ts', text, lines: 1, imports: [] });
    expect(productWordsIn(file("const type = 'vm';"))).toEqual(['vm']);
    expect(productWordsIn(file("const list = ['ssh-keys', 'flexible-vps:vms:read'];"))).toHaveLength(2);
    expect(productWordsIn(file("/** A 'vm'. */ interface Address { kind: 'ipv4' }"))).toEqual([]);
  });
});
