import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../testing/app.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import { settle } from '../../testing/operations.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let close: () => Promise<void>;
let home: VpsAccount;
let agent: McpClient;

beforeAll(async () => {
  ({ t, home, agent, close } = await openAssistant());
});
afterAll(() => close?.());

const rule = (i: number) => ({
  direction: 'in',
  action: 'allow',
  protocol: 'tcp',
  ports: [String(1000 + i)],
  description: `Rule ${i} is here because the team of the customer asked for it, and nobody knows why`,
});

let id: string;
let count = 0;

const base = '/flexible-vps/v1/firewalls';
const api = async (method: 'GET' | 'PATCH', payload?: object) =>
  (await t.call({ method, url: `${base}/${id}`, key: home.key, ...(payload && { payload }) })).json();

beforeEach(async () => {
  const payload = { name: `many-${count++}`, rules: Array.from({ length: 50 }, (_, i) => rule(i)) };
  const made = await t.call({ method: 'POST', url: base, key: home.key, payload });
  ({ id } = made.json());
  await settle(t);
});

const read = async (more: object = {}) =>
  (await agent.call('call_read', { operation: 'getVpsFirewall', path: { id }, ...more })).json;
const update = (body: object) =>
  agent.call('call_write', { operation: 'updateVpsFirewall', path: { id }, body });

describe('a list that is too long for an answer', () => {
  it('is cut, also if fields asks for it, and says how to read on', async () => {
    for (const more of [{}, { fields: ['rules'] }]) {
      const { data, truncated } = await read(more);
      expect(data.rules.length).toBeLessThan(50);
      expect(data.rules.at(-1)).toEqual({ left_out: expect.stringMatching(/^rules:\d+-49:[0-9a-f]{8}$/) });
      expect(truncated.next_step).toContain('cursor');
    }
  });

  it('keeps what is not shown when it is sent back', async () => {
    const before = await api('GET');
    const { data } = await read();
    const [first, ...others] = data.rules;
    expect((await update({ rules: [{ ...first, ports: ['2222'] }, ...others] })).json.code).toBe(
      'confirmation_required',
    );
    expect((await update({ rules: [{ ...first, enabled: false }, ...others] })).isError).toBe(false);
    const { rules } = await api('GET');
    expect(rules).toMatchObject([{ enabled: false }, ...before.rules.slice(1)]);
    expect(rules).toHaveLength(50);
  });

  it('is refused if what is not shown changed meanwhile', async () => {
    const { data } = await read();
    await api('PATCH', { rules: Array.from({ length: 49 }, (_, i) => rule(i)) });
    await settle(t);
    const { json } = await update({ rules: data.rules });
    expect(json).toMatchObject({ code: 'list_incomplete', next_step: expect.stringContaining('again') });
    expect((await api('GET')).rules).toHaveLength(49);
  });

  it('is refused where nothing says what is not shown', async () => {
    const { data } = await read();
    const body = { name: 'a-copy', rules: data.rules.map(({ id: _, ...each }: { id?: string }) => each) };
    const { json } = await agent.call('call_write', { operation: 'createVpsFirewall', body });
    expect(json).toMatchObject({ code: 'list_incomplete', next_step: expect.stringContaining('cursor') });
  });

  it('is refused if the text of left_out is invented', async () => {
    const { json } = await update({ rules: [rule(1), { left_out: 'the rest' }] });
    expect(json.code).toBe('list_incomplete');
    expect((await api('GET')).rules).toHaveLength(50);
  });

  it('stands in the rows of a list, too, if fields asks for it', async () => {
    const { name } = await api('GET');
    const call = { operation: 'listVpsFirewalls', query: { name }, fields: ['rules'] };
    const { data, truncated } = (await agent.call('call_read', call)).json;
    expect(data[0].rules.at(-1)).toHaveProperty('left_out');
    expect(truncated.next_step).toContain('getVpsFirewall');
  });
});

describe('a resource that is sent back', () => {
  it('is not changed if it changed since it was read', async () => {
    const { data } = await read();
    await api('PATCH', { description: 'by somebody else' });
    await settle(t);
    expect((await update(data)).json).toMatchObject({ code: 'etag_mismatch' });
    expect((await api('GET')).description).toBe('by somebody else');
  });

  it('is refused with the present version, if the call names another one', async () => {
    const { etag } = await api('GET');
    const call = { operation: 'updateVpsFirewall', path: { id }, body: { description: 'z' } };
    const { json } = await agent.call('call_write', { ...call, if_match: '"of-nobody"' });
    expect(json).toMatchObject({ code: 'etag_mismatch', current_etag: expect.stringContaining(etag) });
  });

  it('may have a label with the name of the mark', async () => {
    expect((await update({ labels: { left_out: 'x' } })).isError).toBe(false);
    const { data } = await read({ fields: ['labels', 'etag'] });
    expect((await update(data)).isError).toBe(false);
    expect((await api('GET')).labels).toEqual({ left_out: 'x' });
  });

  it('may have a member as it is that cannot be changed, but not another value of it', async () => {
    const { created_at } = await api('GET');
    expect((await update({ created_at, description: 'new' })).isError).toBe(false);
    const { isError, json } = await update({ created_at: '2020-01-01T00:00:00Z' });
    expect([isError, json.errors[0].code]).toEqual([true, 'immutable']);
    expect((await update({ status: 'pending' })).json.errors[0].code).toBe('immutable');
  });

  it('may have its name in the body of a declaration, as it stands in the path', async () => {
    const body = { name: 'lab', amount: '10', thresholds: [{ percent: 80 }] };
    const call = (path: object) => agent.call('call_write', { operation: 'setBudget', path, body });
    const { json } = await call({ id: 'lab' });
    expect(json).toMatchObject({ data: { customer_text: { name: 'lab' } } });
    expect((await call({ id: json.data.id })).isError).toBe(false);
  });
});
