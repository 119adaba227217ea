/** MCP: how long a search takes, and the memory of sessions that wait for an operation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { families } from '../../src/families/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { buildRegistry } from '../../src/kernel/registry.ts';
import { OperationSearch } from '../../src/search/operation-search.ts';
import { openDatabase, openPool } from '../../src/store/database.ts';
import { Search } from '../../src/surfaces/mcp/search/search.ts';
import { exampleDocument } from '../../src/surfaces/openapi/snapshot.ts';
import { percentile } from '../median.ts';
import { readMemory } from '../memory.ts';
import { addressAt } from '../requests.ts';
import { endOperation, insertOperations } from '../store.ts';
import { below, type Row, type Stage } from './row.ts';

const SESSIONS = 1_000;
/** So many connect at the same moment: more would measure how long the database takes. */
const AT_ONCE = 50;
const MOST_MEGABYTES = 100;
const MOST_MILLISECONDS = 5;
/** Beyond the client addresses that the other figures use. */
const FIRST_ADDRESS = 60_000;

function measureSearch(root: string): Row {
  const registry = buildRegistry(families);
  const index = new OperationSearch(exampleDocument(registry));
  const search = new Search(registry, () => index);
  const text = readFileSync(join(root, 'src/surfaces/mcp/search/phrasings.txt'), 'utf8');
  const queries = text.split('\n').filter((line) => line.startsWith(' '));
  const times: number[] = [];
  for (let round = 0; round < 5; round++)
    for (const query of queries) {
      const began = performance.now();
      search.find(query);
      if (round > 0) times.push(performance.now() - began);
    }
  const at = (share: number): number => percentile(times, share);
  const context = `p99 ${at(0.99).toFixed(2)} ms; ${queries.length} phrasings, four times each`;
  return below('MCP: a search, p50', at(0.5), MOST_MILLISECONDS, ' ms', context);
}

async function waitersOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^\w*_waiters (\d+)/m.exec(text)?.[1]);
}

const waitFor = (id: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'wait_operations', arguments: { operation_ids: [id], timeout_seconds: 60 } },
  });

export async function measureMcp({ product, fixture }: Stage, root: string): Promise<Row[]> {
  const { port, pid } = product;
  const db = openDatabase(openPool({ ...fixture.connection, maxConnections: 1 }));
  const ask = async (body: string, place: number): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': fixture.caller.key,
        'x-forwarded-for': addressAt(FIRST_ADDRESS + place),
      },
      body,
    });
    return answer.text();
  };
  try {
    const id = newId('operation');
    await insertOperations(db, fixture.accountId, fixture.caller.id, [id]);
    // The first request loads the protocol package, which all sessions share.
    await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 0);
    const before = readMemory(pid).own;
    const answers: Promise<string>[] = [];
    while (answers.length < SESSIONS) {
      for (let i = 0; i < AT_ONCE; i++) answers.push(ask(waitFor(id), answers.length));
      while ((await waitersOf(port)) < answers.length)
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const during = readMemory(pid).own;
    await endOperation(db, id);
    const whole = (await Promise.all(answers)).filter((text) => text.includes('all_done'));
    const context = `VmRSS, ${Math.round(before)} MB before; ${whole.length} of them got their answer`;
    return [
      measureSearch(root),
      below(`MCP: memory of ${SESSIONS} sessions`, during - before, MOST_MEGABYTES, ' MB', context),
    ];
  } finally {
    await db.destroy();
  }
}
