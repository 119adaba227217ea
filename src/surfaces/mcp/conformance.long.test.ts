/** The official conformance suite and the command line of the inspector, against the real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { type McpServer, startMcp } from '../../testing/mcp.ts';
import { addKeyProxy, conformance, inspector, installMcpTools } from '../../testing/mcp-tools.ts';

const unusable = await installMcpTools();
if (unusable !== null) process.stderr.write(`Skipped: the MCP conformance suite. ${unusable}\n`);

const applies = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

/** Scenarios of the suite that are about what this server does not have, each with the reason. */
const others: Readonly<Record<string, string>> = {
  'logging-set-level': 'The server sends no log messages to clients; operators have the log of the server.',
  'completion-complete': 'Arguments are not completed: search_operations finds them.',
  'tools-call-simple-text': 'Calls tools of the reference server.',
  'tools-call-image': 'Calls tools of the reference server; no tool returns images.',
  'tools-call-audio': 'Calls tools of the reference server; no tool returns audio.',
  'tools-call-embedded-resource': 'Calls tools of the reference server.',
  'tools-call-mixed-content': 'Calls tools of the reference server.',
  'tools-call-with-logging': 'Calls tools of the reference server.',
  'tools-call-error': 'Calls tools of the reference server; errors are tested in mcp.test.ts.',
  'tools-call-with-progress': 'Calls tools of the reference server; progress is read with wait_operations.',
  'tools-call-sampling': 'The server never asks the model of a client.',
  'tools-call-elicitation': 'The server never asks the user of a client; approvals are made in the portal.',
  'json-schema-2020-12': 'Looks for a tool of the reference server.',
  'elicitation-sep1034-defaults': 'No elicitation.',
  'elicitation-sep1330-enums': 'No elicitation.',
  'server-sse-multiple-streams':
    'Needs a session, and the server has none: the suite warns, makes no check, and ends with success.',
  'server-sse-polling': 'The server is stateless, so a stream cannot be resumed.',
  'resources-read-text': 'Reads resources of the reference server.',
  'resources-read-binary': 'Reads resources of the reference server.',
  'resources-templates-read': 'Reads resources of the reference server.',
  'resources-subscribe': 'The resources never change by themselves.',
  'resources-unsubscribe': 'The resources never change by themselves.',
  'prompts-get-simple': 'Reads prompts of the reference server.',
  'prompts-get-with-args': 'Reads prompts of the reference server.',
  'prompts-get-embedded-resource': 'Reads prompts of the reference server.',
  'prompts-get-with-image': 'Reads prompts of the reference server.',
};

describe.skipIf(unusable !== null)('the official tools', () => {
  let t: TestApp;
  let mcp: McpServer;
  let proxy: { url: string; close(): void };
  let key: string;

  beforeAll(async () => {
    t = await createTestApp();
    mcp = await startMcp(t);
    ({ key } = await createKey(t.services.db, await createAccount(t.services.db)));
    proxy = await addKeyProxy(mcp.url, key);
  });
  afterAll(async () => {
    proxy?.close();
    await mcp?.close();
    await t?.close();
  });

  it('have no scenario that is neither passed nor listed with a reason', async () => {
    const { output } = await conformance('list', '--server');
    const [servers = ''] = output.split('Client scenarios');
    const known = [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
    expect(known.sort()).toEqual([...applies, ...Object.keys(others)].sort());
  });

  it.each(applies)('pass the scenario %s', async (scenario) => {
    const { code, output } = await conformance('server', '--url', `${proxy.url}/mcp`, '--scenario', scenario);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    // The suite also ends with success if a scenario made no check at all.
    expect(output).toMatch(/Passed: ([1-9]\d*)\/\1\b/);
  });

  const inspect = (...given: string[]) =>
    inspector('--cli', `${mcp.url}/mcp`, '--transport', 'http', '--header', `X-API-Key: ${key}`, ...given);

  it.each([
    ['tools/list', [], 'call_destructive'],
    ['resources/list', [], 'hostplane://account'],
    ['prompts/list', [], 'plan_change'],
    ['tools/call', ['--tool-name', 'search_operations', '--tool-arg', 'query=reboot'], 'performVmAction'],
  ])('inspect %s', async (method, more, expected) => {
    const { code, output } = await inspect('--method', method, ...more);
    expect([code, output]).toEqual([0, expect.stringContaining(expected)]);
  });
});
