/** The settings with which AI programs connect, for `hostplane mcp --print-config`, the documentation and the portal. */

export interface Setup {
  readonly title: string;
  readonly settings: object;
}

const KEY = 'hpk1_your_key';

const overHttp = (url: string, path: string): object => ({
  mcpServers: { hostplane: { type: 'http', url: `${url}${path}`, headers: { 'X-API-Key': KEY } } },
});

const overStdio = (url: string): object => ({
  mcpServers: {
    hostplane: {
      command: 'hostplane',
      args: ['mcp'],
      env: { HOSTPLANE_URL: url, HOSTPLANE_API_KEY: KEY },
    },
  },
});

/** The key is in a context of the command line, so that no settings hold it. */
const overStdioLoggedIn: object = {
  mcpServers: { hostplane: { command: 'hostplane', args: ['mcp', '--context', 'assistant'] } },
};

export const loginCommand = (url: string): string => `hostplane login --context assistant --url ${url}`;

export const setups = (url: string): readonly Setup[] => [
  { title: 'AI coding editor, over HTTP', settings: overHttp(url, '/mcp') },
  { title: 'AI coding editor, over HTTP, read-only', settings: overHttp(url, '/mcp/readonly') },
  { title: 'Desktop AI assistant, over stdio', settings: overStdio(url) },
  { title: `Over stdio, after ${loginCommand(url)}`, settings: overStdioLoggedIn },
];

export const KEY_COMMAND = 'hostplane admin keys create --name assistant --preset ai-agent';

export const FIRST_QUESTION = 'Which of my machines cost most, and which of them are idle?';

export function setupText(url: string): string {
  const blocks = setups(url).map(
    ({ title, settings }) => `${title}:\n\n${JSON.stringify(settings, null, 2)}\n`,
  );
  return [
    `1. Create a key that is made for assistants, in the portal: the preset is called "AI agent, careful". It cannot delete, and it expires after 7 days. Operators can also create it so:\n\n  ${KEY_COMMAND}\n`,
    `2. Put one of these into the settings of your program, with the key instead of ${KEY}:\n`,
    ...blocks,
    `3. Ask first: ${FIRST_QUESTION}\n`,
  ].join('\n');
}
