import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { presets } from '../../kernel/access/presets.ts';
import { KEY_COMMAND, setups } from './setup.ts';
import { tools } from './tools.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');

it('docs/mcp.md has the settings that hostplane mcp --print-config prints', () => {
  for (const { settings } of setups('https://api.example.com'))
    expect(page).toContain(JSON.stringify(settings, null, 2));
  expect(page).toContain(KEY_COMMAND);
  expect(page).toContain(presets['ai-agent'].title);
});

it('docs/mcp.md explains every tool', () => {
  for (const { name } of tools) expect(page).toContain(`| \`${name}\` |`);
});
