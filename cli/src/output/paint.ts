/** Colours, only where a person reads them: on a terminal, and not with NO_COLOR (https://no-color.org). */
import type { Io } from '../io.ts';

export interface Paint {
  bold(text: string): string;
  red(text: string): string;
  dim(text: string): string;
  /** Green for what works, red for what failed, yellow for what is on its way. */
  status(text: string): string;
}

const code =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${open}m${text}\u001b[${close}m`;

const [green, yellow, red] = [code(32, 39), code(33, 39), code(31, 39)];

const colours: Paint = {
  bold: code(1, 22),
  dim: code(2, 22),
  red,
  status(text) {
    const status = text.trim();
    if (/^(running|available|active|succeeded|enabled|ready)$/.test(status)) return green(text);
    if (/fail|error|crash|revoked|expired|suspended/.test(status)) return red(text);
    return /ing$|queued/.test(status) ? yellow(text) : text;
  },
};

const same = (text: string): string => text;
export const plain: Paint = { bold: same, dim: same, red: same, status: same };

export function paintFor({ env }: Io, isTerminal: boolean): Paint {
  const isPlain = !isTerminal || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return isPlain ? plain : colours;
}
