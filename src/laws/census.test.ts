/** The contract is complete, every built endpoint matches it, and the number of missing endpoints is known. */
import { describe, expect, it } from 'vitest';
import { familyContracts } from '../contract/families.ts';
import { families } from '../families/index.ts';
import { plannedPermissions } from '../kernel/access/planned-permissions.ts';
import { presets } from '../kernel/access/presets.ts';
import { roles } from '../kernel/access/roles.ts';
import { contractPermissions, judgePattern } from '../kernel/access/vocabulary.ts';
import { type FamilyName, familyNames, familySizes } from '../kernel/families.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { contract, contractColumns, contractTriples } from './contract.ts';
import { notBuilt } from './exemptions.ts';

const GRAMMAR = /^(\*|[a-z][a-z0-9-]*):(\*|[a-z][a-z0-9-]*):(\*|read|write|delete)$/;
/** The text of the conventions counts 155, with 50 for Flexible VPS. The table is the exact list and has one more. */
const TRIPLES: Record<FamilyName, number> = {
  'flexible-vps': 51,
  kubernetes: 18,
  dedicated: 20,
  storage: 11,
  datacenter: 15,
  account: 23,
  'ip-management': 6,
  monitoring: 8,
  support: 4,
};

const built = families.flatMap((family) => family.endpoints);
const census = familyNames.map((family) => {
  const has = built.filter((record) => record.family === family).length;
  return { family, title: `${family} ${has} of ${familySizes[family]}`, missing: familySizes[family] - has };
});

describe('the contract', () => {
  it('lists 224 endpoints in nine families of the agreed sizes', () => {
    expect(contractColumns).toEqual(['family', 'method', 'path', 'operation_id', 'permission', 'mode']);
    expect(contract).toHaveLength(224);
    expect(familyNames).toHaveLength(9);
    const sizes = familyNames.map((name) => [name, contract.filter((row) => row.family === name).length]);
    expect(Object.fromEntries(sizes)).toEqual(familySizes);
    expect(Object.values<number>(familySizes).reduce((total, size) => total + size)).toBe(224);
  });

  it('names each operation once, with a path of its family', () => {
    expect(new Set(contract.map((row) => row.operationId)).size).toBe(224);
    const calls = contract.map((row) => `${row.method} ${row.path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(calls).size).toBe(224);
    expect(contract.filter((row) => !row.path.startsWith(`/${row.family}/v1/`))).toEqual([]);
  });

  it('uses 156 permissions of the documented form, each of its own family', () => {
    expect(contractTriples).toHaveLength(156);
    expect(contractTriples.filter((triple) => !GRAMMAR.test(triple) || triple.includes('*'))).toEqual([]);
    expect(contract.filter((row) => row.permission.split(':')[0] !== row.family)).toEqual([]);
    const counts = familyNames.map((name) => [
      name,
      contractTriples.filter((triple) => triple.startsWith(`${name}:`)).length,
    ]);
    expect(Object.fromEntries(counts)).toEqual(TRIPLES);
  });
});

it('families add permissions only to presets that exist', () => {
  const added = familyContracts.flatMap(({ addsToPresets = {} }) => Object.keys(addsToPresets));
  expect(added.length).toBeGreaterThan(0);
  expect(added.filter((name) => !(name in presets))).toEqual([]);
});

describe('permissions that no endpoint requires yet', () => {
  it('are those of the contract, and none that an endpoint already requires', () => {
    const { permissions } = buildRegistry(families);
    expect([...permissions, ...plannedPermissions].sort()).toEqual([...contractTriples].sort());
  });

  it('are matched by every pattern of a role and of a preset, if no endpoint is', () => {
    const vocabulary = contractPermissions(buildRegistry(families));
    const patterns = [
      ...Object.values(roles).flatMap(({ patterns: own, except = [], keeping = [] }) => [
        ...own,
        ...except,
        ...keeping,
      ]),
      ...Object.values(presets).flatMap(({ patterns: own = [] }) => own),
    ];
    const useless = patterns.filter(
      (pattern) => !['known', 'unused'].includes(judgePattern(vocabulary, pattern)),
    );
    expect(useless).toEqual([]);
  });
});

describe('every built endpoint', () => {
  it.each(built)('$id has the method and path of the contract', (record) => {
    const row = contract.find(({ operationId }) => operationId === record.id);
    const { family, method, path, permission } = record;
    const mode = record.answers[202] === undefined || record.startsSometimes ? 'sync' : 'async';
    expect({ family, method, path, operationId: record.id, permission, mode }).toEqual(row);
  });

  it('is in a family of the contract', () => {
    expect(families.filter(({ name }) => !familyNames.includes(name as FamilyName))).toEqual([]);
  });
});

describe('every endpoint that is not built yet is listed', () => {
  it.each(census)('$title', ({ family, missing }) => {
    expect(`${family} lacks ${missing}`).toBe(`${family} lacks ${notBuilt[family]}`);
  });
});
