import { afterAll, beforeAll, expect, it } from 'vitest';
import { transact } from '../../store/transaction.ts';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { operationOf } from '../../testing/operations.ts';
import { Shape, Type } from '../schema.ts';
import { type Child, child, done, type Kind, kind, type Start } from './kind.ts';
import { startOperation } from './operations.ts';

const Input = Shape({ size: Type.Integer() });

const common = {
  family: 'workshop',
  resourceType: 'machine',
  queue: 'free',
  typicalSeconds: 1,
  deadlineSeconds: 60,
  cancellable: false,
} as const;

const grow = kind<typeof Input>({
  ...common,
  type: 'machine.grow',
  input: Input,
  steps: [{ name: 'grow', run: async ({ input }) => done({ size: input.size }) }],
});

const resource = { type: 'machine', id: null, name: null };
/** What a caller without types could send. */
const wrong = { size: 1, color: 'red' };

let app: TestApp;
let account: TestAccount;
beforeAll(async () => {
  app = await createTestApp({ works: false });
  account = await createAccount(app.services.db);
});
afterAll(() => app.close());

const begin = <I>(start: Start<I>) =>
  transact(app.services.db, (tx) =>
    startOperation(tx, app.services.registry, start, { accountId: account.id }),
  );

const count = async (): Promise<number> =>
  (await app.services.db.selectFrom('operations').select('id').execute()).length;

it('an input with a member that the schema does not have is refused, and nothing is written', async () => {
  const before = await count();
  await expect(begin({ kind: grow, input: wrong, resource })).rejects.toThrow(
    'The input of machine.grow does not match its schema: /color:',
  );
  expect(await count()).toBe(before);
});

it('the input of an operation that ends immediately is checked too', async () => {
  await expect(begin({ kind: grow, input: wrong, resource, unchanged: true })).rejects.toThrow(
    'machine.grow',
  );
});

it('the input of a child is checked too', async () => {
  await expect(begin(child({ kind: grow, input: wrong, resource }))).rejects.toThrow('machine.grow');
});

it('a valid input is stored unchanged', async () => {
  const { id } = await begin({ kind: grow, input: { size: 3 }, resource });
  expect((await operationOf(app, id)).input).toEqual({ size: 3 });
});

/** Not called: the compiler checks it. A line after a mark must not compile. */
function typesOfStarts(unnamed: Kind): unknown[] {
  return [
    begin({ kind: grow, input: { size: 3 }, resource }),
    // @ts-expect-error the size is missing
    begin({ kind: grow, input: {}, resource }),
    // @ts-expect-error the size is text
    begin({ kind: grow, input: { size: '3' }, resource }),
    // @ts-expect-error there is no color
    begin({ kind: grow, input: { size: 3, color: 'red' }, resource }),
    // @ts-expect-error no operation starts with a kind whose input is unknown
    begin({ kind: unnamed, input: { size: 3 }, resource }),
    child({ kind: grow, input: { size: 3 }, resource }),
    // @ts-expect-error the size of the child is missing
    child({ kind: grow, input: {}, resource }),
    // @ts-expect-error children are made by `child`
    { kind: grow, input: { size: 3 }, resource } satisfies Child,
  ];
}

it('a start with the wrong input does not compile', () => {
  expect(typesOfStarts).toBeTypeOf('function');
});
