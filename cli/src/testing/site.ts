/** A real server on loopback, and the command line run in this process against it. */
import { join } from 'node:path';
import { createWorld, type World } from '../../../src/laws/world.ts';
import { portalElsewhere } from '../../../src/provider/portal-address.ts';
import { openExchange } from '../../../src/surfaces/http/exchange.ts';
import { createServer } from '../../../src/surfaces/http/server.ts';
import { serveIac } from '../../../src/surfaces/iac/routes.ts';
import { serveOpenapi } from '../../../src/surfaces/openapi/routes.ts';
import { servePages } from '../../../src/surfaces/pages/routes.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../../../src/testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../src/testing/folder.ts';
import { noLimit } from '../../../src/testing/no-limit.ts';
import { runCli } from '../cli.ts';
import type { Io } from '../io.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly asked: readonly string[];
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  /** Null: there is no terminal. Question number n gets answer number n, which a function gives when it is asked. */
  readonly answers?: readonly (string | (() => Promise<string>))[] | null;
  readonly input?: string;
  readonly isTerminal?: boolean;
  readonly interrupted?: AbortSignal;
  /** Called with each text on stderr. */
  readonly onError?: (text: string) => void;
  readonly onOut?: (text: string) => void;
}

export interface Folders {
  readonly folder: string;
  /** Where the program keeps contexts and copies of documents. */
  readonly env: Readonly<Record<string, string>>;
}

export async function makeFolders(): Promise<Folders> {
  const folder = await makeTemporaryFolder();
  return {
    folder,
    env: { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), XDG_CACHE_HOME: join(folder, 'cache') },
  };
}

export async function runLine(argv: readonly string[], setting: Setting = {}): Promise<Ran> {
  const { env = {}, answers = null, input = '', isTerminal = false } = setting;
  const asked: string[] = [];
  let out = '';
  let err = '';
  const answer = async (question: string): Promise<string> => {
    const given = answers?.[asked.push(question) - 1] ?? '';
    return typeof given === 'function' ? given() : given;
  };
  const io: Io = {
    out: async (written) => {
      const text = typeof written === 'string' ? written : Buffer.from(written).toString('latin1');
      out += text;
      setting.onOut?.(text);
    },
    err: (text) => {
      err += text;
      setting.onError?.(text);
    },
    outIsTerminal: isTerminal,
    errIsTerminal: isTerminal,
    canAsk: answers !== null,
    ask: answer,
    askSecret: answer,
    readInput: async () => input,
    async *readLines() {
      yield* input.split('\n');
    },
    env,
    interrupted: setting.interrupted ?? new AbortController().signal,
  };
  const code = await runCli(argv, io);
  return { code, out, err, asked };
}

export interface Site {
  readonly app: TestApp;
  readonly world: World;
  readonly url: string;
  readonly key: string;
  readonly folders: Folders;
  /** Runs a command line that is logged in at this server. Texts are split at spaces. */
  line(words: string | readonly string[], setting?: Setting): Promise<Ran>;
  close(): Promise<void>;
}

export async function openSite(
  options: TestAppOptions = {},
  /** Adds what only some tests need. */
  serveMore: (server: ReturnType<typeof createServer>, app: TestApp) => void = () => undefined,
): Promise<Site> {
  const app = await createTestApp({ limiter: noLimit, ...options });
  const world = await createWorld(app);
  const server = createServer(app.services, options.server);
  serveOpenapi(server, app.services, openExchange);
  serveIac(server, app.services, openExchange);
  servePages(server, app.services, '0.0.0', openExchange, (host) =>
    portalElsewhere(app.services.provider, host),
  );
  serveMore(server, app);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `${options.server?.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const folders = await makeFolders();
  const { key } = world.key;
  const env = { ...folders.env, HOSTPLANE_URL: url, HOSTPLANE_API_KEY: key };
  return {
    app,
    world,
    url,
    key,
    folders,
    line: (words, setting = {}) =>
      runLine(typeof words === 'string' ? words.split(' ') : words, {
        ...setting,
        env: { ...env, ...setting.env },
      }),
    async close() {
      await server.close();
      await app.close();
      await removeTemporaryFolder(folders.folder);
    },
  };
}
