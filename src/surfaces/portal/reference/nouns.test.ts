import { describe, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { workshop } from '../../../testing/widgets.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { type Noun, nounsOf } from './nouns.ts';

const registry = buildRegistry([...families, workshop]);
const found = nounsOf(exampleDocument(registry));
const all = found.flatMap(({ nouns }) => nouns);
const named = (name: string): Noun => all.find((noun) => noun.name === name)!;

const callsOf = ({ read, create, declare, update, delete: remove, actions, bulk }: Noun): string[] =>
  [read, create, declare, update, remove, ...actions, ...bulk].flatMap((call) => call?.id ?? []);

/** Rows within the answer about a parent are read by the call of the parent. */
const listOf = ({ rows }: Noun): string[] => (rows?.in === '/data' ? [rows.operation] : []);

describe('the types of resources', () => {
  it('have every operation exactly once', () => {
    const called = all.flatMap((noun) => [...callsOf(noun), ...listOf(noun)]);
    expect(called.toSorted()).toEqual(registry.endpoints.map(({ id }) => id).toSorted());
  });

  it('have addresses of their own within their family and what they are parts of', () => {
    const addresses = all.map(({ family, parent, slug }) => `${family} ${parent?.noun ?? ''} ${slug}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('have a title if they have a list of their own', () => {
    const untitled = all.filter(({ rows, title }) => rows?.in === '/data' && !title);
    expect(untitled.map(({ name }) => name)).toEqual([]);
  });

  it('are parts of others that exist, and are listed where those are known', () => {
    for (const { name, parent, rows } of all) {
      if (parent === undefined) continue;
      expect(
        all.map((each) => each.name),
        name,
      ).toContain(parent.noun);
      if (rows !== undefined) expect(rows.path, name).toContain(`{${parent.parameter}}`);
    }
  });

  it('narrow only lists that have the filter', () => {
    for (const { related } of all)
      for (const { noun, filter } of related) {
        const list = registry.endpoints.find(({ id }) => id === named(noun).rows?.operation);
        expect(Object.keys(list?.query?.properties ?? {}), noun).toContain(filter);
      }
  });

  it('are made of the calls of a whole resource', () => {
    const { create, update, delete: remove, rows, read } = named('widget');
    expect([create, update, remove, read].map((call) => call?.id)).toEqual([
      'createWidget',
      'updateWidget',
      'deleteWidget',
      'getWidget',
    ]);
    expect(rows).toMatchObject({ operation: 'listWidgets', in: '/data' });
  });

  it('may have neither a change nor an end, nor a page for one of them', () => {
    expect(named('order')).not.toHaveProperty('update');
    expect(named('order')).not.toHaveProperty('delete');
    const message = named('order_message');
    expect(message).toMatchObject({ parent: { noun: 'order', parameter: 'id' }, slug: 'messages' });
    expect(message.create?.id).toBe('createOrderMessage');
    expect(message.rows?.operation).toBe('listOrderMessages');
    expect(message).not.toHaveProperty('read');
    expect(message).not.toHaveProperty('delete');
  });

  it('may only be listed, or be there once from the beginning', () => {
    expect(named('notice')).toMatchObject({ slug: 'notices', rows: { operation: 'listNotices' } });
    for (const call of ['create', 'declare', 'update', 'delete', 'read', 'isOnly'])
      expect(named('notice')).not.toHaveProperty(call);
    const calls = { read: { id: 'getOpeningHours' }, declare: { id: 'setOpeningHours' } };
    expect(named('opening_hours')).toMatchObject({ isOnly: true, slug: 'opening-hours', ...calls });
    expect(named('opening_hours')).not.toHaveProperty('rows');
  });

  it('may be declared by their names, or be rows of the answer about what they belong to', () => {
    expect(named('webhook')).toMatchObject({ key: 'name', declare: { id: 'setWebhook' } });
    expect(named('firewall_rule').rows).toMatchObject({ operation: 'getVpsFirewall', in: '/rules' });
  });

  it('say which rows a call is for, if it is not for all', () => {
    expect(named('image').delete?.only).toEqual({ kind: 'custom' });
    expect(named('image').read).not.toHaveProperty('only');
    expect(named('vm').delete).not.toHaveProperty('only');
  });

  it('have one act for each value of the member that decides what is done', () => {
    const { choice } = named('vm').actions.find(({ id }) => id === 'performVmAction')!;
    expect(choice?.member).toBe('type');
    expect(choice?.values).toContain('power_off');
    expect(named('vm').bulk.map(({ id }) => id)).toEqual(['performBulkVmAction']);
  });
});
