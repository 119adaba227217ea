/**
 * Every address, range, host and URL that a customer can send is marked with its purpose, and the answer to each value
 * that makes no sense for the purpose is 422 and names the member.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AddressPurpose, addressFaults, chosenAddressesIn } from '../kernel/chosen-addresses.ts';
import { checkCidr } from '../kernel/net/allowed-range.ts';
import type { TSchema } from '../kernel/schema.ts';
import { acts } from '../surfaces/portal/acts/index.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import {
  forbidden,
  type JsonSchema,
  sensible,
  takesAddress,
  textsIn,
  valueWith,
} from './chosen-addresses.ts';
import { outcomeOf } from './responses.ts';
import { sampleBy } from './sample.ts';
import { bodyOf, createWorld, endpoints, urlOf, type World } from './walk.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});

afterAll(() => app.close());

const requests: readonly { readonly id: string; readonly schema: TSchema }[] = [
  ...endpoints.flatMap(({ id, body, query }) => [
    { id, schema: query as TSchema },
    ...(body === undefined ? [] : [{ id, schema: body as TSchema }]),
  ]),
  ...acts.map(({ id, input }) => ({ id: `act ${id}`, schema: input })),
];

it('every member of a request that takes an address is marked', () => {
  const unmarked = requests.flatMap(({ id, schema }) =>
    textsIn(schema as JsonSchema)
      .filter((member) => takesAddress(member) && member.schema['x-address-purpose'] === undefined)
      .map(({ pointer }) => `${id} ${pointer}`),
  );
  expect(unmarked).toEqual([]);
});

const chosen = endpoints
  .filter(({ body }) => body !== undefined)
  .flatMap((endpoint) =>
    chosenAddressesIn(endpoint.body as TSchema).map(([pointer, purpose]) => ({
      id: endpoint.id,
      endpoint,
      pointer,
      purpose,
    })),
  );

const partsOf = (pointer: string): string[] => pointer.split('/').slice(1);

describe.each(sampleBy(chosen, ({ endpoint }) => endpoint))(
  '$id $pointer ($purpose)',
  ({ endpoint, pointer, purpose }) => {
    const schema = endpoint.body as JsonSchema;
    const place = pointer.replaceAll('*', '0');
    const bodyWith = (text: string): object => {
      const [top = ''] = partsOf(pointer);
      const made = valueWith(schema, partsOf(pointer), text) as Record<string, unknown>;
      return { ...(bodyOf(endpoint) as object), [top]: made[top] };
    };

    it('accepts sensible addresses', () => {
      const body = bodyWith(sensible[purpose]);
      const faults = addressFaults(endpoint.body as TSchema, body, app.services.egress);
      expect(faults.filter((fault) => fault.pointer === place)).toEqual([]);
    });

    it('422: names the member for each address that makes no sense', async () => {
      const wrong: string[] = [];
      for (const text of forbidden[purpose]) {
        const answer = await app.call({
          method: endpoint.method,
          url: urlOf(endpoint, endpoint.example.params as Record<string, string>),
          payload: bodyWith(text),
          key: world.key.key,
        });
        const { errors = [] } = answer.json<{ errors?: { pointer: string; detail: string }[] }>();
        const named = errors.find((error) => error.pointer === place);
        if (answer.statusCode !== 422 || named === undefined) wrong.push(`${text}: ${outcomeOf(answer)}`);
      }
      expect(wrong).toEqual([]);
    });
  },
);

it('each purpose of addresses has a member of a request or an act', () => {
  const used = new Set<AddressPurpose>(
    requests.flatMap(({ schema }) => chosenAddressesIn(schema).map(([, purpose]) => purpose)),
  );
  expect(Object.keys(forbidden).filter((purpose) => !used.has(purpose as AddressPurpose))).toEqual([]);
});

it.each(forbidden.caller_range)('%s is refused by the IP allowlist', (text) => {
  expect(checkCidr(text).ok).toBe(false);
});
