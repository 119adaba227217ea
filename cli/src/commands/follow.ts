/** Prints the rows of a feed as they come (Server-Sent Events), and continues after the last one if the stream ends. */

import { last } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { ConnectionFailure } from '../http/connection-failure.ts';
import { messagesIn } from '../http/messages.ts';
import { urlOf } from '../http/pages.ts';
import { chosenColumns } from '../output/columns.ts';
import { paintFor } from '../output/paint.ts';
import type { Printer } from '../output/printer.ts';
import { columnsOf, Table } from '../output/table.ts';
import { pause } from '../pause.ts';
import type { Session } from '../session.ts';
import type { Prepared } from './prepared.ts';

/** The stream brings an unused connection to life every 15 seconds. */
const SILENCE_MS = 45_000;
const PAUSE_MS = 3_000;

export async function follow(session: Session, prepared: Prepared, printer: Printer): Promise<ExitCode> {
  const { io, client } = session;
  const { shape, document, params, query } = prepared;
  const row = document.rowOf(shape.operation);
  const columns = last(prepared.given, 'columns');
  const shown =
    columns === undefined
      ? columnsOf(document, row, printer.format === 'wide')
      : chosenColumns(document, row, columns);
  const table = new Table(shown, paintFor(io, io.outIsTerminal));
  const path = urlOf(shape.operation.path, { params, query });
  let lastId = last(prepared.given, 'cursor');
  try {
    for (;;) {
      const headers = {
        accept: 'text/event-stream',
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      };
      try {
        const stream = await client.open({
          method: 'GET',
          path,
          headers,
          signal: io.interrupted,
          timeoutMs: SILENCE_MS,
        });
        for await (const { id, event, data } of messagesIn(stream)) {
          lastId = id ?? lastId;
          const value = JSON.parse(data) as { readonly code?: string };
          if (event === 'end')
            throw new Failure(`The server ended the stream (${value.code}).`, exitCodes.notAllowed);
          if (printer.isForPeople) await io.out(table.page([value]));
          else if (printer.format === 'json') await io.out(`${JSON.stringify(value)}\n`);
          else await printer.value(value);
        }
      } catch (error) {
        const isLost =
          error instanceof ConnectionFailure || (error as { code?: string }).code === 'ECONNRESET';
        if (!isLost || io.interrupted.aborted) throw error;
        io.err('The connection broke. Connecting again.\n');
      }
      await pause(PAUSE_MS, io.interrupted);
    }
  } catch (error) {
    if (io.interrupted.aborted) return exitCodes.interrupted;
    throw error;
  }
}
