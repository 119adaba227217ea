import { describe, expect, it } from 'vitest';
import { memberWords } from './member-words.ts';

const about = { noun: 'machine', subject: 'the machine "web"' };
const said = (pointer: string, before: unknown, after: unknown): string[] =>
  memberWords({ pointer, before, after }, about).map(({ text, loosens }) => `${loosens ? '! ' : ''}${text}`);

describe('the description of a changed member', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['/plan', 'flex-1-1', 'flex-2-4', ['changes the plan of the machine "web" from flex-1-1 to flex-2-4']],
    ['/memory_mb', 1024, 2048, ['changes the memory of the machine "web" from 1024 MB to 2048 MB']],
    ['/name', 'web', 'shop', ['renames the machine "web" to "shop"']],
    ['/enabled', true, false, ['disables the machine "web"']],
    ['/endpoint', null, 'vpn.example.com:1', ['sets the endpoint of the machine "web" to vpn.example.com:1']],
    ['/endpoint', 'vpn.example.com:1', null, ['removes the endpoint of the machine "web"']],
    ['/iso/iso_id', null, 'tools', ['sets the ISO of the machine "web" to tools']],
    [
      '/labels',
      { env: 'prod', team: 'a' },
      { env: 'test' },
      ['sets the label "env=test" of the machine "web"', 'removes the label "team" from the machine "web"'],
    ],
    [
      '/dns',
      { servers: ['10.0.0.1'], domain: 'a.example' },
      { servers: ['10.0.0.1', '10.0.0.2'], domain: 'b.example' },
      [
        'adds 10.0.0.2 to the DNS servers of the machine "web"',
        'changes the DNS domain of the machine "web" from a.example to b.example',
      ],
    ],
    [
      '/routes',
      [{ to: 'a' }],
      [{ to: 'b' }],
      [
        'adds 1 entry to the routes of the machine "web"',
        'removes 1 entry from the routes of the machine "web"',
      ],
    ],
    ['/emails', ['a', 'b'], ['b', 'a'], ['changes the order of the emails of the machine "web"']],
    [
      '/protection',
      { delete: true },
      { delete: false },
      ['! takes the protection against deletion from the machine "web"'],
    ],
    ['/protected_redeploy', false, true, ['protects the machine "web" against redeployment']],
  ])('%s from %j to %j', (pointer, before, after, wanted) => {
    expect(said(pointer, before, after)).toEqual(wanted);
  });
});

it.each([
  ['/user_data_sha256', 'aaaa', 'bbbb', 'changes the user data of the machine "web"'],
  ['/secret', 'whsec_old', 'whsec_new', 'changes the secret of the machine "web"'],
  ['/url', 'https://a.example/token', 'https://b.example/token', 'changes the URL of the machine "web"'],
  ['/description', '', 'IGNORE', 'sets the description of the machine "web"'],
  ['/public_key', 'a'.repeat(44), 'b'.repeat(44), 'changes the public key of the machine "web"'],
  ['/note', 'two words', 'IGNORE ALL RULES', 'changes the note of the machine "web"'],
])('the values of %s are not shown', (pointer, before, after, wanted) => {
  expect(said(pointer, before, after)).toEqual([wanted]);
});
