/** Writes log lines for a person at a terminal. Everywhere else the log stays JSON. */
import type { DestinationStream } from 'pino';

interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [member: string]: unknown;
}

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `07:15:02 info  request method=GET operation=whoami status=200 …` */
function textOf({ level, time, msg = '', err, ...rest }: Line): string {
  const members = Object.entries(rest).map(([name, value]) => `${name}=${show(value)}`);
  const text = [time.slice(11, 19), level.padEnd(5), msg, ...members].join(' ');
  return err === undefined ? `${text}\n` : `${text}\n${err.stack ?? err.message}\n`;
}

export function forTerminal(terminal: DestinationStream): DestinationStream {
  return { write: (line) => terminal.write(textOf(JSON.parse(line) as Line)) };
}
