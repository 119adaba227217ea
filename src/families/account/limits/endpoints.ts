import { Family } from '../../../kernel/families.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { sliceFrom } from '../../../kernel/pages/slice.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { readAllLimits } from '../../../resources/limits/limit-rows.ts';

import { Limit } from './schema.ts';

const example = {
  data: [
    {
      id: 'account.api-keys',
      family: 'account',
      name: 'Active API keys',
      unit: 'keys',
      limit: 100,
      used: 4,
      scope: 'account',
      location: null,
      raisable: false,
      maximum_on_request: null,
    },
  ],
  next_cursor: null,
};

export const listLimits = endpoint({
  id: 'listLimits',
  method: 'GET',
  path: '/account/v1/limits',
  summary: 'List limits and their use',
  description: 'Quotas of the account with what is used of them. Your provider can raise them.',
  permission: 'account:limits:read',
  access: 'read',
  resource: { name: 'limit', role: 'list' },
  query: ListQuery(
    {
      family: Type.Optional({ ...Family, description: 'Only limits of this family.' }),
      location: Type.Optional(Type.String({ maxLength: 63, description: 'Only limits of this location.' })),
      used_percent_min: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1000,
          'x-unit': 'percent',
          description: 'Only limits of which at least this percentage is used.',
        }),
      ),
    },
    { sort: ['id'] },
  ),
  answers: { 200: List(Limit) },
  problems: [],
  example: { query: { family: 'account' }, answer: { status: 200, body: example } },
  async handle(call) {
    const { family, location, used_percent_min: least } = call.query;
    const rows = (await readAllLimits(call))
      .filter((row) => family === undefined || row.family === family)
      .filter((row) => location === undefined || row.location === location)
      .filter((row) => least === undefined || (row.limit !== null && row.used * 100 >= least * row.limit));
    const { page, nextCursor } = sliceFrom(
      call,
      'listLimits',
      rows,
      (row) => `${row.id} ${row.location ?? ''}`,
    );
    return ok({ data: page, next_cursor: nextCursor });
  },
});
