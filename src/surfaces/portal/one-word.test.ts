/** People read one word for a thing, wherever its name comes from, and sentences about work that they can read aloud. */
import { describe, expect, it } from 'vitest';
import { spoken } from '../../../portal/src/data/words.ts';
import { failureOf, kindWords, titleOf } from '../../../portal/src/pages/operations/words.ts';
import { families } from '../../families/index.ts';
import { buildRegistry } from '../../kernel/registry.ts';
import { keyOptions } from '../../portal-api/keys/options.ts';
import { exampleDocument } from '../openapi/snapshot.ts';
import { nounsOf } from './reference/nouns.ts';

const registry = buildRegistry(families);
const document = exampleDocument(registry);
const SHORT = /\bVMs?\b/i;

/** All titles, summaries, labels and descriptions of the document. */
function textsOf(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return ['summary', 'description', 'x-label', 'x-displayName', 'title'].includes(name) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => textsOf(each, Array.isArray(value) ? name : key));
}

/** Without the names of calls and members, which are code. */
const prose = (text: string): string => text.replaceAll(/`[^`]*`/g, '');

describe('a machine is called a machine', () => {
  it('in the texts of the document', () => {
    const texts = textsOf(document).map(prose);
    expect(texts.length).toBeGreaterThan(1000);
    expect(texts.filter((text) => SHORT.test(text))).toEqual([]);
  });

  it('in the names of resources, of kinds of work and of permissions', () => {
    const nouns = nounsOf(document).flatMap((family) => family.nouns.map(({ name }) => spoken(name)));
    const kinds = [...registry.kinds.keys()].map(kindWords);
    const permissions = keyOptions(registry, { products: [] }, 'owner').families.flatMap(({ resources }) =>
      resources.map(({ title }) => title),
    );
    expect([nouns, kinds, permissions].every(({ length }) => length > 20)).toBe(true);
    expect([...nouns, ...kinds, ...permissions].filter((text) => SHORT.test(text))).toEqual([]);
    expect(spoken('vm_ids')).toBe('Machine IDs');
  });
});

describe('work', () => {
  const resource = { type: 'vm', id: null, name: null };
  const children = { type: 'vm.power_on', total: 3, succeeded: 2, failed: 1, pending: 0 };

  it.each([
    ['vm.shutdown', 'Shut down machine'],
    ['vm.set_iso', 'Change ISO of machine'],
    ['vm.bulk_power', 'Power actions on machines'],
    ['vpn_gateway.create', 'Create VPN gateway'],
    ['iso.create', 'Create ISO'],
  ])('%s is said as "%s"', (type, words) => expect(kindWords(type)).toBe(words));

  it('in several parts says what is done to how many, and how many failed', () => {
    const operation = { type: 'vm.bulk_power', resource, children };
    expect(titleOf(operation)).toBe('Power on 3 machines');
    expect(titleOf({ ...operation, children: { ...children, total: 1 } })).toBe('Power on 1 machine');
    expect(titleOf({ ...operation, children: null })).toBe('Power actions on machines');
    expect(failureOf(operation)).toBe('Power on 3 machines: 1 of 3 failed');
  });

  it('on one resource says its name', () => {
    const operation = { type: 'vm.power_off', resource: { type: 'vm', id: 'vm_1', name: 'web-1' } };
    expect(failureOf({ ...operation, children: null })).toBe('Power off machine web-1 failed');
  });
});
