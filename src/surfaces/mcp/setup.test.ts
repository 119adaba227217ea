import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { presets } from '../../kernel/access/presets.ts';
import { installCommand } from '../cli-package/commands.ts';
import { clients, KEY_COMMAND, setups, toolSentences } from './setup.ts';
import { tools } from './tools.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');

it('docs/mcp.md has the settings that hostplane mcp --print-config prints', () => {
  for (const { settings } of setups('https://api.example.com'))
    expect(page).toContain(JSON.stringify(settings, null, 2));
  expect(page).toContain(KEY_COMMAND);
  expect(page).toContain(presets['ai-agent'].title);
});

it('docs/mcp.md explains every tool in the words of the portal', () => {
  expect(Object.keys(toolSentences)).toEqual(tools.map(({ name }) => name));
  for (const [name, sentence] of Object.entries(toolSentences))
    expect(page).toContain(`| \`${name}\` | ${sentence} |`);
});

it.each(clients)(
  'the steps for $name name the address of the server, and how the key is given',
  ({ steps }) => {
    const copied = steps('https://api.example.com')
      .map(({ text, code }) => `${text}\n${code?.text ?? ''}`)
      .join('\n');
    expect(copied).toMatch(/https:\/\/api\.example\.com(\/mcp\b|\/cli\.sh)/);
    expect(copied).toMatch(/X-API-Key|hostplane login/);
  },
);

it('the command line is installed by the command that all pages show', () => {
  const [desktop] = clients.filter(({ id }) => id === 'claude-desktop');
  const [first] = desktop?.steps('https://api.example.com') ?? [];
  expect(first?.code?.text).toContain(installCommand('https://api.example.com'));
});
