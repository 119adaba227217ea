/** The body that would make a resource again, from what the resource shows. */
import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../../../portal/src/form/body-of.ts';
import { resolverOf, type Schema } from '../../../../portal/src/form/document.ts';

const resolve = resolverOf(() => ({}));
const of = (properties: Record<string, Schema>, row: Record<string, unknown>) =>
  bodyOf({ type: 'object', properties }, row, resolve);

const text = { type: 'string' };

describe('the body of a resource that exists', () => {
  it('has the members of the same name, without what is empty or given anyway', () => {
    const properties = {
      name: text,
      description: text,
      labels: { type: 'object' },
      port: { type: 'integer', default: 51820 },
      hostname: text,
    };
    const row = { name: 'web-1', description: '', labels: { env: 'prod' }, port: 51820, hostname: 'web-1' };
    expect(of(properties, row)).toEqual({ name: 'web-1', labels: { env: 'prod' } });
    expect(of(properties, { ...row, port: 1, hostname: 'www' })).toMatchObject({ port: 1, hostname: 'www' });
  });

  it('has what the resource shows at another place, and nothing that is never shown', () => {
    const properties = {
      size: { type: 'integer', 'x-read-as': '/endpoint/size' },
      ipv6: { type: 'boolean', 'x-read-as': { present: '/ipv6_cidr' } },
      data: { ...text, writeOnly: true, 'x-read-as': { sha256: '/data_sha256' } },
      password: { ...text, writeOnly: true },
    };
    const row = { endpoint: { size: 3 }, ipv6_cidr: 'fd00::/48', data: 'x', password: 'x', data_sha256: 'x' };
    expect(of(properties, row)).toEqual({ size: 3, ipv6: true });
  });

  it('does not take for a wish what may have been taken back after the failure', () => {
    const properties = { ipv6: { type: 'boolean', default: true, 'x-read-as': { present: '/ipv6_prefix' } } };
    expect(of(properties, { ipv6_prefix: null })).toEqual({});
  });

  it('has the alternative that was chosen, and only whole items of lists', () => {
    const from = (type: string) => ({
      type: 'object',
      properties: { type: { const: type }, [`${type}_id`]: { ...text, 'x-read-as': '/source/id' } },
    });
    const properties = {
      source: { oneOf: [from('image'), from('snapshot')] },
      networks: {
        type: 'array',
        'x-read-as': '/interfaces',
        items: { type: 'object', required: ['network_id'], properties: { network_id: text } },
      },
    };
    const row = {
      source: { type: 'snapshot', id: 'snap_1' },
      interfaces: [{ network_id: null }, { network_id: 'net_1', mac: 'x' }],
    };
    expect(of(properties, row)).toEqual({
      source: { type: 'snapshot', snapshot_id: 'snap_1' },
      networks: [{ network_id: 'net_1' }],
    });
    expect(of(properties, { source: { type: 'upload', id: 'x' }, interfaces: [] })).toEqual({});
  });
});
