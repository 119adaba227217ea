/** A query for each filter and each sort that a list offers. */
import type { Endpoint } from '../kernel/record.ts';
import { type JsonSchema, sampleOf } from '../testing/arbitrary.ts';
import type { Query } from './walk.ts';

/** Values for filters whose format the schema does not describe. */
const written: Readonly<Record<string, string>> = {
  label_selector: 'a=b',
  client_ip: '192.0.2.7',
  ip: '192.0.2.7',
  address: '192.0.2.7',
  cidr: '192.0.2.0/24',
};

const PAGING = ['limit', 'cursor', 'sort'];

const membersOf = (list: Endpoint): Readonly<Record<string, JsonSchema>> =>
  (list.query as JsonSchema).properties ?? {};

export const sortsOf = (list: Endpoint): string[] => [
  ...((membersOf(list)['sort']?.enum ?? []) as readonly string[]),
];

export const filterQueries = (list: Endpoint): Query[] =>
  Object.entries(membersOf(list))
    .filter(([name]) => !PAGING.includes(name))
    .map(([name, schema]) => ({ [name]: written[name] ?? sampleOf(schema) }));
