/** What goes wrong on the way: one clear sentence, what to do, and an exit code of its own. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/testing/accounts.ts';
import { Document } from './document/document.ts';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

/** A server that answers as the function says, until the test is over. */
async function withServer(answer: Parameters<typeof createServer>[1], use: (url: string) => Promise<void>) {
  const server: Server = createServer(answer as never).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const oneLine = (text: string): number => text.trimEnd().split('\n').length;

describe('typing errors', () => {
  it.each([
    ['vm lst', 'Did you mean list?'],
    ['vn list', 'Did you mean vm?'],
    ['flexible-vp vm list', 'Did you mean flexible-vps?'],
    ['flexible-vps vmm list', 'Did you mean vm?'],
    ['vm list --stats running', 'Did you mean --status?'],
    ['vm list --status runing', 'Did you mean running?'],
    ['api creatVm', 'Did you mean createVm?'],
    ['logn', 'Did you mean login?'],
    ['estimate vmm', 'Did you mean vm?'],
  ])('2: %s', async (words, hint) => {
    const { code, err } = await site.line(words);
    expect([code, err, oneLine(err)]).toEqual([2, expect.stringContaining(hint), 1]);
  });

  it.each([
    ['vm get', '<vm> is missing'],
    ['vm get a b', 'one argument too many'],
    ['vm list --limit x', '--limit is a whole number'],
    ['vm create --disk-gb many', '--disk-gb is a whole number, not "many"'],
    ['vm create --labels env', '--labels takes name=value'],
    ['vm create --name', '--name needs a value'],
    ['vm create --user-data @/no/such/file', 'cannot be read'],
    ['vm list --query [', '--query is not understood'],
    ['vm update vm_01jqzv2m7xe9rs5d3k8w4t6y0b --unset nothing', 'there is no --nothing'],
  ])('2: %s', async (words, message) => {
    const { code, err } = await site.line(words);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('a missing member with alternatives names the flags that give it', async () => {
    const { err } = await site.line('vm create --name a --location fra1 --plan flex-2-4');
    expect(err).toContain('--source: This is required: use --image or --snapshot');
  });

  it('a missing object is said as the flags that it needs, with an example', async () => {
    const { code, err } = await site.line('backup-policy create --name p');
    expect([code, err.split('\n').slice(0, 6)]).toEqual([
      7,
      [
        'Request not valid (validation_failed): 3 flags are missing or not valid: --frequency, --hour, --keep-last.',
        expect.stringMatching(/^ {2}--frequency: This is required\. One of .*daily/),
        expect.stringMatching(/^ {2}--hour: This is required\. The hour of the day/),
        expect.stringMatching(/^ {2}--keep-last: This is required\. How many backups/),
        'For example: --frequency daily --hour 2 --keep-last 7',
        'Next step: Correct them, then repeat the command.',
      ],
    ]);
    const example = /For example: (.*)/.exec(err)?.[1];
    const made = await site.line(`backup-policy create --name p ${example} -o name`);
    expect([made.code, made.out]).toEqual([0, 'p\n']);
  });

  it('a member of an item is said with the flag that takes the item', async () => {
    const { err } = await site.line('firewall create --name f --rules direction=in,protocol=tcp,ports=22');
    expect(err).toContain('--rules (action): This is required');
  });

  it('2: --unset names what it can reset', async () => {
    const id = 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b';
    const { code, err } = await site.line(`vm update ${id} --unset name`);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/--name always has a value\. It can reset description, labels, .*backup-policy/),
    ]);
  });

  it("2: an old name of an operator's command says the new one", async () => {
    const { code, err } = await site.line('keys create --name x');
    expect([code, err]).toEqual([
      2,
      "The operator's command is now: hostplane admin keys create. Customers create keys in the portal: hostplane open keys\n",
    ]);
  });

  it('2: an old name that customers have in another form names both commands', async () => {
    await site.line('location list');
    const { code, err } = await site.line('operations list');
    expect([code, err]).toEqual([
      2,
      "The operator's command is now: hostplane admin operations list.\nThe customers' command is: hostplane account operation list\n",
    ]);
  });
});

describe('names of resources', () => {
  it('5: an unknown name gets the nearest as a suggestion', async () => {
    await site.line('placement-group create --name backend --location fra1');
    const { code, err } = await site.line('placement-group get bakend');
    expect([code, err]).toEqual([5, 'There is no placement group "bakend". Did you mean backend?\n']);
  });
});

describe('a name that several resources have', () => {
  it('2: lists their ids and does nothing', async () => {
    const { db } = site.app.services;
    const revoked = { name: 'twins', status: 'revoked' } as const;
    const [first, second] = [
      await createKey(db, site.world.account, { name: 'twins' }),
      await createKey(db, site.world.account, revoked),
    ];
    const { code, err } = await site.line('api-key get twins');
    expect(code).toBe(2);
    expect(err).toContain('"twins" is the name of 2 resources');
    for (const { id } of [first, second]) expect(err).toContain(id);
  });
});

describe('a document of another version', () => {
  async function changeLines(edit: (lines: readonly string[]) => readonly string[]): Promise<void> {
    const folder = join(site.folders.env['XDG_CACHE_HOME'] ?? '', 'hostplane');
    for (const name of await readdir(folder)) {
      const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
      await writeFile(join(folder, name), edit(lines).join('\n'));
    }
  }

  /** Changes the copy on disk, as if it came from another server version. */
  const change = (edit: (document: { paths: Record<string, unknown> }) => unknown): Promise<void> =>
    changeLines(([head = '', , text = '']) => {
      const document = JSON.parse(text);
      edit(document);
      const { outline } = new Document(document);
      return [{ ...JSON.parse(head), etag: '"another"' }, outline, document].map((line) =>
        JSON.stringify(line),
      );
    });

  it('is not needed for help of a family, which is made from the outline beside it', async () => {
    const before = await site.line('flexible-vps --help');
    await changeLines(([head = '', outline = '']) => [head, outline, 'damaged']);
    const after = await site.line('flexible-vps --help', { env: { HOSTPLANE_API_KEY: 'none' } });
    expect(after).toEqual({ ...before, code: 0 });
    expect((await site.line('location list')).code).toBe(0);
  });

  it('is not read from the cache of another server with the same file name', async () => {
    await site.line('location list');
    await changeLines(([head = '', ...rest]) => [
      JSON.stringify({ ...JSON.parse(head), url: 'http://another.example' }),
      ...rest.map(() => '{"paths":{}}'),
    ]);
    expect((await site.line('location list')).code).toBe(0);
    expect((await site.line('flexible-vps --help')).out).toContain('location');
  });

  it('that is older is downloaded again for an unknown command', async () => {
    await site.line('location list');
    await change(({ paths }) => delete paths['/flexible-vps/v1/locations']);
    const { code } = await site.line('location list');
    expect(code).toBe(0);
  });

  it('that is newer may contain marks, methods and schemas that this program does not know', async () => {
    await change(({ paths }) => {
      paths['/new-family/v2/gadgets/{id}/spin'] = {
        post: {
          operationId: 'spinGadget',
          'x-access': 'enchanting',
          'x-resource': { name: 'gadget', role: 'transmogrify', parameter: 'id' },
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'shade', in: 'cookie', schema: { type: 'string' } },
          ],
          requestBody: { content: { 'application/json': { schema: { properties: { of: { not: {} } } } } } },
          responses: {},
        },
        query: { operationId: 'queryGadgets' },
      };
    });
    const { code, out } = await site.line('new-family gadget spin --help');
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('Usage: hostplane new-family gadget spin <gadget>'),
    ]);
    expect((await site.line('location list')).code).toBe(0);
  });
});

describe('the API key', () => {
  it('3: has expired', async () => {
    const past = new Date('2020-01-01T00:00:00Z');
    const { key } = await createKey(site.app.services.db, site.world.account, { expires_at: past });
    const { code, err } = await site.line('vm list', { env: { HOSTPLANE_API_KEY: key } });
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/\(api_key_expired\)[\s\S]*Next step: [\s\S]*Request id: req_/),
    ]);
  });

  it('3: is missing beside a URL from the environment', async () => {
    const { code, err } = await site.line('vm list', { env: { HOSTPLANE_API_KEY: '' } });
    expect([code, err, oneLine(err)]).toEqual([
      3,
      expect.stringContaining('HOSTPLANE_URL is set, but HOSTPLANE_API_KEY is not'),
      1,
    ]);
  });

  it('4: lacks the permission', async () => {
    const { key } = await createKey(site.app.services.db, site.world.account, {
      permissions: ['account:limits:read'],
    });
    const { code, err } = await site.line('vm list', { env: { HOSTPLANE_API_KEY: key } });
    expect([code, err]).toEqual([4, expect.stringContaining('flexible-vps:vms:read')]);
  });
});

describe('the connection to the server', () => {
  const to = (url: string) => ({ env: { HOSTPLANE_URL: url } });

  it('9: nobody listens at the address', async () => {
    const { code, err } = await site.line('vm list', to('http://127.0.0.1:9'));
    expect([code, err, oneLine(err)]).toEqual([
      9,
      expect.stringContaining('Nothing answers at http://127.0.0.1:9'),
      1,
    ]);
  });

  it('9: the host name does not exist', async () => {
    const { code, err } = await site.line('vm list', to('https://api.invalid'));
    expect([code, err, oneLine(err)]).toEqual([9, expect.stringContaining('Check'), 1]);
  });

  it('9: another kind of server answers', async () => {
    await withServer(
      (_, answer) => answer.end('<html>'),
      async (url) => {
        const { code, err } = await site.line('vm list', to(url));
        expect([code, err, oneLine(err)]).toEqual([9, expect.stringContaining('is no Hostplane server'), 1]);
      },
    );
  });

  it('9: a redirect is named and not followed, because the key would be sent along', async () => {
    await withServer(
      (_, answer) => answer.writeHead(301, { location: 'https://elsewhere.example/openapi.json' }).end(),
      async (url) => {
        const { code, err } = await site.line('vm list', to(url));
        expect([code, err]).toEqual([
          9,
          expect.stringContaining('hostplane login --url https://elsewhere.example'),
        ]);
      },
    );
  });

  it('2: the address is invalid', async () => {
    for (const url of ['api.example.com', 'ftp://api.example.com', 'https://me@api.example.com'])
      expect((await site.line('vm list', to(url))).code).toBe(2);
  });
});

describe('a self-signed certificate', () => {
  const file = (name: string): string =>
    fileURLToPath(new URL(`../../src/testing/fixtures/${name}`, import.meta.url));

  it('9: is refused with how to trust it, and --ca-file accepts it', async () => {
    const tls = { certificate: file('localhost.crt'), key: file('localhost.key') };
    const secure = await openSite({ server: { tls } });
    try {
      const env = { HOSTPLANE_URL: secure.url.replace('127.0.0.1', 'localhost') };
      const { code, err } = await secure.line('location list', { env });
      expect([code, err, oneLine(err)]).toEqual([9, expect.stringContaining('--ca-file'), 1]);
      const trusted = await secure.line(`location list -o name --ca-file ${tls.certificate}`, { env });
      expect([trusted.code, trusted.err]).toEqual([0, '']);
    } finally {
      await secure.close();
    }
  });
});

describe('retried calls', () => {
  /** Answers the document of the real server, and everything else as the test says. */
  const asSite =
    (answer: (call: number, request: { readonly method: string }) => [number, object, object] | null) =>
    async (use: (url: string, keys: unknown[]) => Promise<void>) => {
      const keys: unknown[] = [];
      const document = await (await fetch(`${site.url}/openapi.json`)).text();
      await withServer(
        (request, reply) => {
          if (request.url === '/openapi.json')
            return reply.writeHead(200, { 'content-type': 'application/json' }).end(document);
          keys.push(request.headers['idempotency-key']);
          const said = answer(keys.length, request as never);
          if (said === null) return request.socket.destroy();
          const [status, headers, body] = said;
          const type = status < 300 ? 'application/json' : 'application/problem+json';
          return reply.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body));
        },
        (url) => use(url, keys),
      );
    };
  const create = 'placement-group create --name again --location fra1 -o name';

  it('use the same Idempotency-Key after a broken connection', async () => {
    await asSite((call) => (call < 3 ? null : [201, {}, { id: 'pg_1', name: 'again' }]))(
      async (url, keys) => {
        const { code, out, err } = await site.line(create, { env: { HOSTPLANE_URL: url } });
        expect([code, out, err]).toEqual([0, 'again\n', expect.stringContaining('Trying again')]);
        expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([3, 1, 'string']);
      },
    );
  });

  it('9: after three broken connections, says how to repeat the call without a second effect', async () => {
    await asSite(() => null)(async (url, keys) => {
      const { code, err } = await site.line(create, { env: { HOSTPLANE_URL: url } });
      expect([code, keys.length]).toEqual([9, 3]);
      expect(err).toContain(`repeat it with: --idempotency-key ${keys[0]}`);
    });
  });

  const busy = {
    code: 'rate_limited',
    title: 'Too many requests',
    status: 429,
    next_step: 'Wait.',
    request_id: 'req_1',
  };

  it('wait as long as Retry-After says', async () => {
    await asSite((call) => (call === 1 ? [429, { 'retry-after': '1' }, busy] : [201, {}, { name: 'again' }]))(
      async (url, keys) => {
        const { code, err } = await site.line(create, { env: { HOSTPLANE_URL: url } });
        expect([code, err]).toEqual([0, expect.stringContaining('trying again in 1 s')]);
        expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
      },
    );
  });

  it('8: are not made with --no-retry', async () => {
    await asSite(() => [429, { 'retry-after': '1' }, busy])(async (url, keys) => {
      const { code, err } = await site.line(`${create} --no-retry`, { env: { HOSTPLANE_URL: url } });
      expect([code, keys.length, err]).toEqual([8, 1, expect.stringContaining('Request id: req_1')]);
    });
  });

  it('9: a DELETE whose answer was lost is not repeated', async () => {
    const name = { name: 'gone' };
    await asSite((_, { method }) => (method === 'GET' ? [200, {}, name] : null))(async (url, calls) => {
      const line = 'api deletePlacementGroup pg_01jqzv6d4jg9mbp7r3w0t8n6ev --confirm gone';
      const { code } = await site.line(line, { env: { HOSTPLANE_URL: url } });
      // The name to confirm was read, and the deletion was sent once.
      expect([code, calls.length]).toEqual([9, 2]);
    });
  });
});
