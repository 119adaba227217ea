import { sql } from 'kysely';
import type { Fixture } from '../../../laws/fixture.ts';
import { periodOf } from '../../../money/budgets/budget.ts';
import { recordCrossings } from '../../../money/budgets/store.ts';
import { newBudgetId } from '../../../money/budgets/write-budget.ts';

export const fixture: Fixture = {
  collection: '/account/v1/budgets',
  async addRow({ app, account, key }, name, i) {
    const { db } = app.services;
    const id = newBudgetId();
    const period = periodOf(new Date());
    const threshold = { percent: 80, basis: 'actual' } as const;
    await db
      .insertInto('budgets')
      .values({
        id,
        account_id: account.id,
        name,
        amount: '100.00',
        currency: 'EUR',
        scope: {
          families: i % 2 === 0 ? ['storage'] : null,
          label_selector: `mark=${name}`,
          api_key_ids: [key.id],
        },
        thresholds: sql`${JSON.stringify([threshold])}::jsonb`,
        action: 'notify',
        emails: [],
        description: name,
        period,
      })
      .execute();
    await recordCrossings(db, id, period, [threshold]);
  },
};
