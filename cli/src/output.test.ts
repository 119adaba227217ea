import { describe, expect, it } from 'vitest';
import { Document } from './document/document.ts';
import type { Io } from './io.ts';
import { cell } from './output/cells.ts';
import { Printer } from './output/printer.ts';
import { applyQuery, parseQuery } from './output/query.ts';

describe('--query', () => {
  const machines = [
    {
      name: 'web',
      status: 'running',
      ips: [{ version: 4, address: '192.0.2.1' }],
      price: { monthly: '8.00' },
    },
    { name: 'db', status: 'stopped', ips: [], price: { monthly: '9.00' } },
  ];
  it.each([
    ['[].name', ['web', 'db']],
    ['[*].price.monthly', ['8.00', '9.00']],
    ['[0].name', 'web'],
    ['[-1].name', 'db'],
    ["[?status=='running'].name", ['web']],
    ["[?status != 'running'].name", ['db']],
    ['[0].ips[?version==`4`].address', ['192.0.2.1']],
    ["[?price.monthly=='9.00'].name", ['db']],
    ['[].nothing', []],
    ['[9]', null],
    ['name', null],
  ])('%s', (query, expected) => {
    expect(applyQuery(machines, parseQuery(query))).toEqual(expected);
  });

  it.each(['', '.', '[', 'a b', '[?x]', 'a..b', '.a', 'a[1'])(
    '"%s" is refused or means the whole',
    (query) => {
      if (query === '') expect(applyQuery(machines, parseQuery(query))).toBe(machines);
      else expect(() => parseQuery(query)).toThrow('--query is not understood');
    },
  );
});

describe('texts of other people in the output', () => {
  it('cannot move the cursor of a terminal', () => {
    expect(cell('a\u001b[2Jb\u202e\u009bc')).toBe('a\\u001b[2Jb\\u202e\\u009bc');
  });
});

describe('a list', () => {
  it.each(['table', 'json', 'name', 'yaml'])('is printed page by page as %s', async (format) => {
    const steps: string[] = [];
    const io = {
      out: async (text: string) => void steps.push(text.trim()),
      env: {},
      err: () => undefined,
    } as unknown as Io;
    async function* pages() {
      for (const name of ['first', 'second']) {
        steps.push(`asked for ${name}`);
        yield [{ name }];
      }
    }
    await new Printer(io, format, undefined).rows(
      new Document({}),
      { properties: { name: { 'x-column': 1 } } },
      pages(),
    );
    const places = ['asked for first', 'first', 'asked for second', 'second'].map((text) =>
      steps.findIndex(
        (step, i) => step.includes(text) && (text.startsWith('asked') || !steps[i]?.startsWith('asked')),
      ),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
});
