/**
 * Drivers with many calls list them in a table: the name of the call, and the function that does its work. A class made
 * of the table has each call as a method, and runs all of them in the same way.
 */

/** The function behind a call: it gets the context of the driver first, then the arguments of the call. */
export type Behind<Context, Call> = Call extends (...args: infer Args) => Promise<infer Answer>
  ? (context: Context, ...args: Args) => Promise<Answer>
  : never;

type Run<Name, Entry> = (name: Name, entry: Entry, args: readonly unknown[]) => unknown;

/** The base class of a driver. It gets a function that runs a call, given its entry in the table. */
export function classOfCalls<Calls extends object, Entry>(
  table: Readonly<Record<keyof Calls & string, Entry>>,
): new (
  run: Run<keyof Calls & string, Entry>,
) => Calls {
  class CallsOfTable {
    constructor(run: Run<keyof Calls & string, Entry>) {
      for (const [name, entry] of Object.entries<Entry>(table))
        Object.assign(this, {
          [name]: (...args: unknown[]) => run(name as keyof Calls & string, entry, args),
        });
    }
  }
  return CallsOfTable as unknown as new (
    run: Run<keyof Calls & string, Entry>,
  ) => Calls;
}

/** The last argument of a call that can be cancelled. */
export const signalIn = (args: readonly unknown[]): AbortSignal | undefined =>
  args.find((arg): arg is AbortSignal => arg instanceof AbortSignal);
