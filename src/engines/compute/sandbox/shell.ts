/** The serial console of a machine, with root logged in: a shell with a few commands on the machine's files. */
import { Duplex } from 'node:stream';
import type { Ref } from '../instance.ts';
import { tail } from './boot-log.ts';
import type { ComputeCore } from './core.ts';
import { diskOf, haltInside, writeInside } from './guest-actions.ts';
import { netcat, ping } from './network-commands.ts';
import type { Disk } from './state.ts';

const SHOWN_BYTES = 8 * 1024;
const MOST_TYPED = 4096;
const COMMANDS = 'cat, echo, exit, help, hostname, ls, nc, ping, poweroff, reboot';

export class Shell extends Duplex {
  readonly #core: ComputeCore;
  readonly #ref: Ref;
  readonly #hostname: string;
  #typed = '';
  #turn: Promise<void> = Promise.resolve();

  constructor(core: ComputeCore, ref: Ref, hostname: string, log: string) {
    super();
    this.#core = core;
    this.#ref = ref;
    this.#hostname = hostname;
    this.#say(`${tail(log, SHOWN_BYTES).trimEnd()} root (automatic login)\n`);
    this.#prompt();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    for (const letter of chunk.toString()) this.#type(letter);
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    void this.#turn.then(() => {
      this.push(null);
      done();
    });
  }

  #type(letter: string): void {
    if (letter === '\r' || letter === '\n') {
      const line = this.#typed.trim();
      this.#typed = '';
      this.#say('\n');
      this.#turn = this.#turn.then(() => this.#run(line));
    } else if (letter === '\x7f') {
      this.#typed = this.#typed.slice(0, -1);
    } else if (this.#typed.length < MOST_TYPED) {
      this.#typed += letter;
      this.#say(letter);
    }
  }

  async #run(line: string): Promise<void> {
    try {
      const said = await this.#obey(line);
      if (said === null) return void this.#hangUp();
      this.#say(said);
    } catch (error) {
      this.#say(`${error instanceof Error ? error.message : String(error)}\n`);
      return void this.#hangUp();
    }
    this.#prompt();
  }

  /** Returns the output of the command, or null if the command ends the session. */
  async #obey(line: string): Promise<string | null> {
    const [command = '', ...rest] = line.split(/\s+/);
    const disk = await diskOf(this.#core, this.#ref);
    switch (command) {
      case '':
        return '';
      case 'cat':
        return this.#cat(disk, rest[0] ?? '');
      case 'ls':
        return Object.keys(disk)
          .sort()
          .map((path) => `${path}\n`)
          .join('');
      case 'hostname':
        return disk['/etc/hostname'] ?? `${this.#hostname}\n`;
      case 'help':
        return `This machine is simulated by the sandbox. Its commands are: ${COMMANDS}.\n`;
      case 'echo':
        return this.#echo(line.slice('echo'.length).trim());
      case 'nc':
        return netcat(this.#core, this.#ref, rest);
      case 'ping':
        return ping(this.#core, this.#ref, rest);
      case 'exit':
        return null;
      case 'poweroff':
      case 'reboot':
        await haltInside(this.#core, this.#ref, command === 'reboot' ? 'reboot' : 'shutdown');
        return null;
      default:
        return `sh: ${command}: command not found (try help)\n`;
    }
  }

  #cat(disk: Disk, path: string): string {
    const content = Object.hasOwn(disk, path) ? disk[path] : undefined;
    return content ?? `cat: ${path}: No such file or directory\n`;
  }

  async #echo(text: string): Promise<string> {
    const [said = '', path] = text.split(/\s*>\s*/);
    const content = `${said.replace(/^(["'])(.*)\1$/, '$2')}\n`;
    if (path === undefined) return content;
    await writeInside(this.#core, this.#ref, path, content);
    return '';
  }

  #prompt(): void {
    this.#say(`root@${this.#hostname}:~# `);
  }

  #say(text: string): void {
    if (!this.readableEnded && !this.destroyed) this.push(text.replaceAll('\n', '\r\n'));
  }

  #hangUp(): void {
    this.push(null);
    this.end();
  }
}
