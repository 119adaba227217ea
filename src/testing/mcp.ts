/** The real server with MCP on a port, and a client of the official library. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FastifyInstance } from 'fastify';
import type { ProviderConfig } from '../provider/schema.ts';
import { createServer } from '../surfaces/http/server.ts';
import { serveMcp } from '../surfaces/mcp/routes.ts';
import { createTestApp, freshAddress, type TestApp, type TestAppOptions } from './app.ts';
import { VpsAccount } from './vps.ts';

export interface McpServer {
  readonly url: string;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

/** The clients of one test file come from different addresses, each with its own rate limit. */
export const behindProxy = (config: ProviderConfig): ProviderConfig => ({
  ...config,
  server: { ...config.server, trusted_proxies: ['127.0.0.0/8'] },
});

export async function startMcp({ services }: Pick<TestApp, 'services'>, wanted = 0): Promise<McpServer> {
  const app = createServer(services);
  serveMcp(app, services);
  await app.listen({ host: '127.0.0.1', port: wanted });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, app, close: () => app.close() };
}

type Headers = Readonly<Record<string, string>>;

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any answer.
  readonly json: any;
}

interface ConnectOptions {
  readonly path?: string;
  readonly headers?: Headers;
  /** `legacy`: as clients of the versions before 2026 connect. */
  readonly mode?: 'auto' | 'legacy';
}

export interface McpClient {
  readonly client: Client;
  /** The calls so far, with the text of each answer. */
  readonly calls: { readonly tool: string; readonly text: string }[];
  call(tool: string, given?: object): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export async function connectMcp(
  url: string,
  key: string,
  { path = '/mcp', headers = {}, mode = 'auto' }: ConnectOptions = {},
): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
    requestInit: { headers: { 'x-api-key': key, 'x-forwarded-for': freshAddress(), ...headers } },
  });
  await client.connect(transport);
  const calls: McpClient['calls'] = [];
  return {
    client,
    calls,
    async call(tool, given = {}) {
      const result = await client.callTool({ name: tool, arguments: { ...given } });
      const [content] = result.content as readonly { readonly text?: string }[];
      const text = content?.text ?? '';
      calls.push({ tool, text });
      return { isError: result.isError === true, text, json: JSON.parse(text) };
    },
    close: () => client.close(),
  };
}

/** An account whose assistant is connected to a server of its own. */
export interface Assistant {
  readonly t: TestApp;
  readonly mcp: McpServer;
  readonly home: VpsAccount;
  readonly agent: McpClient;
  close(): Promise<void>;
}

export async function openAssistant(options: TestAppOptions = {}): Promise<Assistant> {
  const t = await createTestApp({ provider: behindProxy, ...options });
  const mcp = await startMcp(t);
  const home = await VpsAccount.open(t);
  const agent = await connectMcp(mcp.url, home.key);
  return {
    t,
    mcp,
    home,
    agent,
    close: async () => {
      await agent.close();
      await mcp.close();
      await t.close();
    },
  };
}
