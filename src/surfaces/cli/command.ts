/** Shared by all commands: global options, output for people or scripts, and the confirmation of harmful changes. */
import type { Command } from 'commander';
import type { Warning } from '../../kernel/effect.ts';
import type { Examination, Registry } from '../../kernel/registry.ts';
import type { Actor } from '../../portal-api/actor.ts';
import type { Loaded } from '../../provider/load.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import type { Db } from '../../store/database.ts';
import { type Load, requireConfiguration } from './configuration.ts';
import { withDatabase } from './database.ts';
import type { CliIo } from './io.ts';
import { Refusal } from './refusal.ts';
import type { SandboxDesk } from './sandbox-desk.ts';
import { clean } from './table.ts';
import type { TicketDesk } from './ticket-desk.ts';

/** The parts of the program that the command line receives, because it imports neither families nor the server. */
export interface CliParts {
  readonly version: string;
  readonly registry: Registry;
  readonly load: Load;
  /** Resolves with the exit code when the server has stopped. */
  readonly serve: (
    config: ProviderConfig,
    io: Pick<CliIo, 'out' | 'error'>,
    role: 'all' | 'api' | 'worker',
    reload: () => Loaded,
  ) => Promise<number>;
  readonly sandbox: SandboxDesk;
  readonly tickets: TicketDesk;
  /** For `doctor`: checks whether the engine of each location supports the products sold there. */
  readonly examineEngines: (config: ProviderConfig) => Promise<readonly Examination[]>;
}

export interface GlobalOptions {
  readonly config?: string;
  readonly account?: string;
  readonly json?: true;
  readonly yes?: true;
}

export interface Output {
  readonly json: unknown;
  readonly text: string;
  readonly warnings?: readonly Warning[];
  readonly code?: 0 | 1;
}

/** The context of a command that works on the database. */
export interface Desk {
  readonly db: Db;
  readonly config: ProviderConfig;
  readonly registry: Registry;
  readonly actor: Actor;
  readonly options: GlobalOptions;
  /** Resolves if the user types the expected answer or passed --yes; otherwise throws a `Refusal`. */
  confirm(question: string, expected?: string): Promise<void>;
}

export type Action = (...given: unknown[]) => Promise<void>;

export class Cli {
  readonly io: CliIo;
  readonly parts: CliParts;
  code = 0;
  /** The options of the command that runs, for the error that it may end with. */
  flags: readonly string[] = [];

  constructor(io: CliIo, parts: CliParts) {
    this.io = io;
    this.parts = parts;
  }

  action<O extends object>(
    work: (options: O & GlobalOptions, args: readonly string[]) => Promise<Output | number>,
  ): Action {
    return async (...given) => {
      // Commander passes the arguments, the options and, last, the command itself.
      const command = given.at(-1) as Command;
      const options = command.optsWithGlobals<O & GlobalOptions>();
      this.flags = command.options.flatMap(({ long }) => long ?? []);
      const outcome = await work(options, command.args);
      if (typeof outcome === 'number') this.code = outcome;
      else this.#show(outcome, options);
    };
  }

  atDesk<O extends object>(
    work: (desk: Desk, options: O & GlobalOptions, args: readonly string[]) => Promise<Output>,
  ): Action {
    return this.action<O>(async (options, args) => {
      const config = requireConfiguration(this, options.config);
      return withDatabase(config, (db) =>
        work(
          {
            db,
            config,
            registry: this.parts.registry,
            actor: { kind: 'provider_staff', name: this.io.user },
            options,
            confirm: (question, expected) => this.confirm(options, question, expected),
          },
          options,
          args,
        ),
      );
    });
  }

  async confirm(options: GlobalOptions, question: string, expected = 'yes'): Promise<void> {
    if (options.yes) return;
    if (this.io.ask === null) {
      throw new Refusal(
        `${question} There is no terminal to confirm this, so nothing was done. To confirm, run the command again with --yes.`,
      );
    }
    const answer = await this.io.ask(clean(`${question} Type ${expected} to go on: `));
    if (answer.trim() !== expected) throw new Refusal('The answer does not match, so nothing was done.');
  }

  #show({ json, text, warnings = [], code = 0 }: Output, { json: asJson }: GlobalOptions): void {
    this.code = code;
    this.io.out(asJson ? `${JSON.stringify(json, null, 2)}\n` : text);
    if (!asJson) for (const { detail } of warnings) this.io.error(clean(`Note: ${detail}\n`));
  }
}
