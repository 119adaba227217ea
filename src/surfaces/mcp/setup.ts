/** The settings with which AI programs connect, for `hostplane mcp --print-config`, the documentation and the portal. */

export interface Setup {
  readonly title: string;
  readonly settings: object;
}

const KEY = 'hpk1_your_key';

const headers = { 'X-API-Key': KEY };

const overHttp = (url: string, path: string): object => ({
  mcpServers: { hostplane: { type: 'http', url: `${url}${path}`, headers } },
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

/** One thing to do, in words, and what is copied for it. */
export interface Step {
  readonly text: string;
  readonly code?: { readonly title: string; readonly text: string };
}

/** A program that people know by its name, and how it is connected. */
export interface Client {
  /** In the address of its page. */
  readonly id: string;
  readonly name: string;
  steps(url: string): readonly Step[];
}

const json = (settings: object): string => JSON.stringify(settings, null, 2);
const put = (text: string, title: string, settings: object): Step => ({
  text,
  code: { title, text: json(settings) },
});

/** Each program reads the same facts from a file of its own, in a form of its own. */
export const clients: readonly Client[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    steps: (url) => [
      {
        text: 'Install the command line, which Claude Desktop starts by itself, and log in with the key of the assistant:',
        code: { title: 'Shell', text: `curl -fsSL ${url}/cli.sh | sh\n${loginCommand(url)}` },
      },
      put(
        'Open Settings, Developer, Edit Config, and add the server. If the program is not found, write the full path that “command -v hostplane” prints:',
        'claude_desktop_config.json',
        overStdioLoggedIn,
      ),
      { text: 'Quit Claude Desktop and start it again. The tools stand under the plus sign of a new chat.' },
    ],
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    steps: (url) => [
      {
        text: 'Add the server for all your projects:',
        code: {
          title: 'Shell',
          text: `claude mcp add --scope user --transport http hostplane ${url}/mcp --header "X-API-Key: ${KEY}"`,
        },
      },
      { text: 'Type /mcp in a session: the server is connected.' },
    ],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    steps: (url) => [
      put(
        'Add the server to the settings of all projects, or to .cursor/mcp.json of one:',
        '~/.cursor/mcp.json',
        { mcpServers: { hostplane: { url: `${url}/mcp`, headers } } },
      ),
      { text: 'Open Cursor Settings, Tools & MCP: the server has a green dot and seven tools.' },
    ],
  },
  {
    id: 'vs-code',
    name: 'VS Code',
    steps: (url) => [
      put(
        'Run “MCP: Open User Configuration” from the command palette and add the server. VS Code asks for the key once and keeps it safe, so the file does not hold it:',
        'mcp.json',
        {
          inputs: [
            { type: 'promptString', id: 'hostplane-key', description: 'Hostplane API key', password: true },
          ],
          servers: {
            hostplane: {
              type: 'http',
              url: `${url}/mcp`,
              // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in.
              headers: { 'X-API-Key': '${input:hostplane-key}' },
            },
          },
        },
      ),
      { text: 'Press Start above the server, then choose the mode Agent in the chat.' },
    ],
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    steps: (url) => [
      put('Add the server:', '~/.codeium/windsurf/mcp_config.json', {
        mcpServers: { hostplane: { serverUrl: `${url}/mcp`, headers } },
      }),
      { text: 'Press Refresh in the list of MCP servers of Cascade.' },
    ],
  },
  {
    id: 'zed',
    name: 'Zed',
    steps: (url) => [
      put('Run “zed: open settings file” from the command palette and add the server:', 'settings.json', {
        context_servers: { hostplane: { url: `${url}/mcp`, headers } },
      }),
      { text: 'Open the settings of the agent panel: the server has a green dot.' },
    ],
  },
  {
    id: 'chatgpt',
    name: 'ChatGPT and Codex',
    steps: (url) => [
      {
        text: 'The connectors of ChatGPT sign in with OAuth or not at all. They cannot send a key, so ChatGPT itself cannot connect to this server.',
      },
      {
        text: 'Codex can, in the terminal and in editors. It takes the key from the variable HOSTPLANE_API_KEY:',
        code: {
          title: '~/.codex/config.toml',
          text: `[mcp_servers.hostplane]\nurl = "${url}/mcp"\nenv_http_headers = { "X-API-Key" = "HOSTPLANE_API_KEY" }`,
        },
      },
    ],
  },
  {
    id: 'other',
    name: 'Another program',
    steps: (url) => setups(url).map(({ title, settings }) => put(`${title}:`, 'Settings', settings)),
  },
];

/** What each tool does, for people. */
export const toolSentences: Readonly<Record<string, string>> = {
  get_context: 'says who calls: key, permissions, expiry, address, requests left, locations',
  search_operations:
    'finds operations by what somebody wants to do, by path, permission or error code; also those that the key may not call, with the missing permission',
  describe_operations: 'shows input, example, answer, errors, cost, and whether it can be undone',
  call_read: 'makes a call that only reads',
  call_write:
    'makes a call that creates or changes; `dry_run` says what it would do and cost; what loosens a protection or loses something for good needs `confirm`',
  call_destructive: 'makes a call that destroys, if `confirm` is right',
  wait_operations: 'waits for work, and for the decision of a person about an approval',
};

export const KEY_COMMAND = 'hostplane admin keys create --name assistant --preset ai-agent';

export const FIRST_QUESTION = 'Which of my machines cost most, and which of them are idle?';

export function setupText(url: string): string {
  const blocks = setups(url).map(({ title, settings }) => `${title}:\n\n${json(settings)}\n`);
  return [
    `1. Create a key that is made for assistants, in the portal: the preset is called "AI agent, careful". It cannot delete, and it expires after 7 days. Operators can also create it so:\n\n  ${KEY_COMMAND}\n`,
    `2. Put one of these into the settings of your program, with the key instead of ${KEY}:\n`,
    ...blocks,
    `3. Ask first: ${FIRST_QUESTION}\n`,
  ].join('\n');
}
