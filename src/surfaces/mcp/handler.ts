/** The part that needs the protocol package. It is loaded at the first MCP request, so that others do not pay for it. */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Services } from '../../kernel/services.ts';
import { searchOf } from '../openapi/search.ts';
import { Search } from './search/search.ts';
import { openServer, type Visitor } from './server.ts';

export function openHandler(services: Services): McpHttpHandler {
  const { registry, log } = services;
  const search = new Search(registry, () => searchOf(services));
  return createMcpHandler(({ authInfo }) => openServer(authInfo?.extra?.['visitor'] as Visitor, search), {
    // Nothing that a client could subscribe to ever changes.
    maxSubscriptions: 0,
    onerror: (error) => log.debug({ err: error }, 'MCP request refused'),
  });
}
