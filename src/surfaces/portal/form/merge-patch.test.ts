import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../../portal/src/form/merge-patch.ts';

describe('the patch from what was read to what a person made of it', () => {
  it('is empty if nothing was changed', () => {
    const read = { name: 'web', labels: { env: 'prod' }, dns: ['1.1.1.1'], note: null };
    expect(mergePatch(read, structuredClone(read))).toEqual({});
  });

  it('does not tell null from a member that is absent', () => {
    expect(mergePatch({ note: null }, {})).toEqual({});
    expect(mergePatch({}, { note: null })).toEqual({});
  });

  it('has what was set or changed, and null for what was removed', () => {
    expect(mergePatch({ a: 1, b: 2 }, { b: 3, c: 4 })).toEqual({ a: null, b: 3, c: 4 });
  });

  it('names within maps and objects only what differs', () => {
    expect(mergePatch({ labels: { env: 'prod', team: 'a' } }, { labels: { team: 'b', cost: '7' } })).toEqual({
      labels: { env: null, team: 'b', cost: '7' },
    });
  });

  it('replaces lists as a whole', () => {
    expect(mergePatch({ dns: ['a', 'b'] }, { dns: ['b'] })).toEqual({ dns: ['b'] });
    expect(mergePatch({ rules: [{ port: 1 }] }, { rules: [{ port: 2 }] })).toEqual({
      rules: [{ port: 2 }],
    });
  });

  it('sets an object that was not there, and removes one that is gone', () => {
    expect(mergePatch({ nat: null }, { nat: { ipv4: true } })).toEqual({ nat: { ipv4: true } });
    expect(mergePatch({ nat: { ipv4: true } }, {})).toEqual({ nat: null });
  });

  const schema = {
    properties: {
      plan: { type: 'string', 'x-when': { member: 'custom_size', sent: false } },
      custom_size: { type: 'object', 'x-when': { member: 'plan', sent: false } },
      name: { type: 'string' },
      weekday: { type: 'string', nullable: true, 'x-when': { member: 'frequency', is: ['weekly'] } },
      frequency: { type: 'string' },
    },
  };

  it('leaves out what another choice has made meaningless, if it cannot be null', () => {
    expect(mergePatch({ plan: 'small' }, { custom_size: { vcpus: 2 } }, schema)).toEqual({
      custom_size: { vcpus: 2 },
    });
    expect(mergePatch({ frequency: 'weekly', weekday: 'mon' }, { frequency: 'daily' }, schema)).toEqual({
      frequency: 'daily',
      weekday: null,
    });
  });

  it('says that a person has emptied a member, even if the server will refuse it', () => {
    expect(mergePatch({ name: 'web' }, {}, schema)).toEqual({ name: null });
  });
});
