/** Shows how an operation goes: one line that is rewritten on a terminal, a line for each change elsewhere. */
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import type { Work } from './work.ts';

const TICK_MS = 1_000;
const CLEAR_LINE = '\r\u001b[2K';

export class Progress {
  readonly #io: Io;
  readonly #typical: number | undefined;
  readonly #began = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #work: Work | undefined;
  #last = '';

  constructor(io: Io, typicalSeconds: number | undefined) {
    this.#io = io;
    this.#typical = typicalSeconds;
    if (io.errIsTerminal) this.#timer = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  show(work: Work): void {
    this.#work = work;
    const news = this.#text(work);
    if (this.#io.errIsTerminal) this.#draw();
    else if (news !== this.#last) this.#io.err(`${news} (${this.#elapsed()})\n`);
    this.#last = news;
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#io.errIsTerminal && this.#work !== undefined) this.#io.err(CLEAR_LINE);
  }

  #draw(): void {
    if (this.#work !== undefined) this.#io.err(`${CLEAR_LINE}${this.#text(this.#work)} (${this.#elapsed()})`);
  }

  #text({ type, status, step = '', progress_percent: percent, resource }: Work): string {
    const subject = resource?.name ?? resource?.id ?? '';
    const part = percent == null ? '' : ` ${percent} %`;
    return printable(`${type} ${subject}: ${step === '' || status !== 'running' ? status : step}${part}`);
  }

  #elapsed(): string {
    const seconds = Math.round((Date.now() - this.#began) / 1000);
    const expected = this.#work?.expected_seconds ?? this.#typical;
    return expected == null ? `${seconds} s` : `${seconds} s, usually ${expected} s`;
  }
}
