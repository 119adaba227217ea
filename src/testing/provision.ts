/** For fixtures: adds resources without a call, which is quicker. */
import type { Call } from '../kernel/call.ts';
import type { Kind } from '../kernel/operations/kind.ts';
import type { Owned } from '../resources/owned/owned.ts';
import type { NewRow, OwnedTableName, RowOf } from '../resources/owned/table.ts';
import type { TestApp } from './app.ts';
import { runKind } from './run-kind.ts';

interface Owner {
  readonly app: Pick<TestApp, 'services'>;
  readonly account: { readonly id: string };
  readonly key: { readonly id: string };
}

/** Inserts only the row: nothing else knows the resource. Without an id in `columns`, it gets a new one. */
export const insertFor = <T extends OwnedTableName, E extends string>(
  { app, account }: Omit<Owner, 'key'>,
  source: Owned<T, E>,
  columns: NewRow<T> & { readonly id?: string },
): Promise<RowOf<T>> =>
  source.insert({ db: app.services.db, caller: { account } as Call['caller'] }, {
    id: source.newId(),
    ...columns,
  } as NewRow<T> & { readonly id: string });

/** Does for a new row what its call does after that: notes it in the inventory, and runs the operation. */
export async function provision<T extends OwnedTableName, E extends string, I>(
  { app, account, key }: Owner,
  source: Owned<T, E>,
  row: RowOf<T>,
  kind: Kind<I>,
  input: NoInfer<I>,
): Promise<string> {
  await source.note(app.services.db, row, { apiKeyId: key.id });
  const { id, name } = row as unknown as { readonly id: string; readonly name: string };
  await runKind(app, kind, { accountId: account.id, resource: source.ref({ id, name }), input });
  return id;
}
