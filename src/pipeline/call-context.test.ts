import { expect, it } from 'vitest';
import { nothingDone } from '../kernel/call.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Services } from '../kernel/services.ts';
import type { Db } from '../store/database.ts';
import { callOf } from './call-context.ts';
import type { Input } from './input.ts';

it('the call context has no getter, because it would keep the request in memory until the next full garbage collection', () => {
  const call = callOf({} as Exchange, {} as Services, {} as Input, { db: {} as Db, done: nothingDone() });
  const own = Object.values(Object.getOwnPropertyDescriptors(call));
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(({ get }) => get !== undefined)).toEqual([]);
});
