import { randomBytes } from 'node:crypto';
import type { Fixture } from '../../../laws/fixture.ts';
import { newSessionId } from './console.ts';

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vms/{id}/console-sessions',
  variations: {
    setVmRescue: { 'without a restart': async () => ({ body: { enabled: true, restart: false } }) },
  },
  async addRow({ app, account, key }, _name, _i, vm_id) {
    await app.services.db
      .insertInto('console_sessions')
      .values({
        id: newSessionId(),
        account_id: account.id,
        vm_id,
        api_key_id: key.id,
        type: 'serial',
        token_hash: randomBytes(32),
        expires_at: new Date(Date.now() + 3_600_000),
      })
      .execute();
  },
};
