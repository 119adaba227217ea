/** Runs the operator's command line in this process, captures its output and answers its questions. */
import { type ConfigurationOptions, loadConfiguration } from '../configuration.ts';
import { enginePorts, examineEngines, sandboxDesk } from '../engine-ports.ts';
import type { Port } from '../engines/port.ts';
import { families } from '../families/index.ts';
import { buildRegistry, type Registry } from '../kernel/registry.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { type CliIo, runCli } from '../surfaces/cli/cli.ts';
import { ticketDesk } from '../ticket-desk.ts';
import type { TestDatabase } from './database.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The questions that the command line asked. Question number n gets answer number n of `answers`. */
  readonly asked: readonly string[];
  /** The configuration and the role of each call of `serve`. */
  readonly served: readonly ProviderConfig[];
  readonly roles: readonly string[];
}

export interface Setting {
  readonly env?: Record<string, string>;
  readonly folder?: string;
  /** Null: the command line runs without a terminal, so it cannot ask questions. */
  readonly answers?: readonly string[] | null;
  /** Default: the families of the product. */
  readonly registry?: Registry;
  /** Default: the ports of the product. */
  readonly ports?: readonly Port[];
}

/** The URL of a database whose server listens only on a Unix socket. */
export const urlOf = ({ user, port, database, host }: TestDatabase['connection']): string =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;

export async function runCommand(argv: readonly string[], setting: Setting = {}): Promise<Ran> {
  const { env = {}, folder = '/', answers = [], ports = enginePorts } = setting;
  const asked: string[] = [];
  const served: ProviderConfig[] = [];
  const roles: string[] = [];
  let out = '';
  let err = '';
  const io: CliIo = {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      err += text;
    },
    ask: answers && (async (question) => answers[asked.push(question) - 1] ?? ''),
    env,
    folder,
    user: 'operator',
  };
  const parts = {
    version: '1.2.3',
    registry: setting.registry ?? buildRegistry(families),
    load: (options: ConfigurationOptions) => loadConfiguration({ ...options, ports }),
    serve: async (config: ProviderConfig, _: unknown, role: string) => {
      served.push(config);
      roles.push(role);
      return 0;
    },
    sandbox: sandboxDesk(ports),
    tickets: ticketDesk(ports),
    examineEngines: (config: ProviderConfig) => examineEngines(config, ports),
  };
  const code = await runCli(argv, parts, io);
  return { code, out, err, asked, served, roles };
}
