import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { exemptFrom } from './exemptions.ts';
import { isTest, type SourceFile, shipped, sources } from './sources.ts';

/** `families/account`, `surfaces/http`, `kernel`, …; a file directly in `src/` puts the parts together. */
function layerOf(path: string): string {
  const [, layer = '', part = '', ...rest] = path.split('/');
  if (part === '') return 'assembly';
  const hasParts = ['families', 'surfaces', 'engines'].includes(layer) && rest.length > 0;
  return hasParts ? `${layer}/${part}` : layer;
}

/** Which layers each one may know, besides itself. */
const knows: Record<string, RegExp> = {
  store: /^$/,
  kernel: /^store$/,
  operations: /^(kernel|store)$/,
  engines: /^(kernel|store|engines)$/,
  families: /^(kernel|store|operations)$/,
  'portal-api': /^(kernel|store)$/,
  'surfaces/http': /^(kernel|store)$/,
  'surfaces/openapi': /^kernel$/,
  'surfaces/cli': /^(kernel|store|portal-api|surfaces\/openapi)$/,
  assembly: /^(kernel|store|families|portal-api|surfaces\/.+|operations|engines\/.+)$/,
};

function rulesFor(layer: string): RegExp | undefined {
  return knows[layer] ?? knows[layer.split('/')[0] ?? ''];
}

function mayImport(file: SourceFile, target: string): boolean {
  const from = layerOf(file.path);
  const to = layerOf(target);
  if (from === to) return true;
  // The list of families is the one place that names them all; an engine's port is what a family may know of it.
  if (file.path === 'src/families/index.ts')
    return /^src\/families\/[^/]+\/index\.ts$/.test(target) || to === 'kernel';
  if (from.startsWith('families/') && /^src\/engines\/[^/]+\/port\.ts$/.test(target)) return true;
  return rulesFor(from)?.test(to) ?? false;
}

const namesOf = (files: readonly SourceFile[]): string[] => files.map(({ path }) => path).sort();

describe('layers point one way', () => {
  it('every layer is known', () => {
    expect(shipped.filter(({ path }) => rulesFor(layerOf(path)) === undefined)).toEqual([]);
  });

  it('no file imports from a layer that is not below its own', () => {
    const wrong = shipped.flatMap((file) =>
      file.imports
        .filter(({ target }) => target.startsWith('src/') && !mayImport(file, target))
        .map(({ target }) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('nothing that is shipped imports what is there for tests', () => {
    const wrong = shipped.filter(({ imports }) =>
      imports.some(({ target }) => isTest({ path: target }) || ['vitest', 'fast-check'].includes(target)),
    );
    expect(namesOf(wrong)).toEqual([]);
  });

  it('surfaces take types from stores, never rows', () => {
    const wrong = shipped.filter(
      (file) =>
        file.path.startsWith('src/surfaces/') &&
        file.imports.some(
          ({ target, isTypeOnly }) =>
            target.endsWith('/store.ts') && !isTypeOnly && layerOf(target) !== layerOf(file.path),
        ),
    );
    expect(namesOf(wrong)).toEqual(exemptFrom('surfacesTakeTypesFromStores'));
  });
});

describe('each thing in its place', () => {
  it('SQL is written in stores only', () => {
    const sql = /\bsql(<[^`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto|query)\(/;
    const wrong = shipped.filter(
      ({ path, text }) => !path.endsWith('/store.ts') && !path.startsWith('src/store/') && sql.test(text),
    );
    expect(namesOf(wrong)).toEqual(exemptFrom('sqlInStoresOnly'));
  });

  it('permissions are checked by the pipeline, not by handlers', () => {
    const check = /\.decide\(|\b(allows|holds|roleAllows|decide)\(/;
    const wrong = shipped.filter(({ path, text }) => path.startsWith('src/families/') && check.test(text));
    expect(namesOf(wrong)).toEqual(exemptFrom('permissionChecksInPipelineOnly'));
  });

  it.each(families.flatMap((family) => family.endpoints))(
    '$id is written in the folder of its resource',
    (endpoint) => {
      const [, family, , ...segments] = endpoint.path.split('/');
      const [, noun = ''] = endpoint.permission.split(':');
      // By what it is called, or by what its permission is about: `vm-power` is the power of a machine.
      const names = [...segments, noun, noun.replace(/^[a-z]+-/, '')];
      const homes = shipped.filter(({ text }) => new RegExp(`\\bid: '${endpoint.id}',`).test(text));
      expect([endpoint.id, homes.length]).toEqual([endpoint.id, 1]);
      const [, , folder, resource] = homes[0]?.path.split('/') ?? [];
      expect([endpoint.id, folder]).toEqual([endpoint.id, family]);
      expect(names).toContain(resource);
    },
  );
});

describe('files', () => {
  it('are small', () => {
    const long = sources.filter((file) => file.lines > (isTest(file) ? 400 : 300));
    expect(namesOf(long)).toEqual(exemptFrom('fileSize'));
  });

  it('are named after what is in them', () => {
    const vague = /(^|[/.-])(utils?|helpers?|common|manager|misc)([/.-]|$)/i;
    expect(namesOf(sources.filter(({ path }) => vague.test(path)))).toEqual([]);
  });
});
