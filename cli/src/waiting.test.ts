/** Waiting for operations, following events and consoles, in the real program where signals matter. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settle } from '../../src/testing/operations.ts';
import { programPath, start, startProgram } from './testing/program.ts';
import { openSite, type Site } from './testing/site.ts';

let site: Site;
let env: Record<string, string>;
beforeAll(async () => {
  // Without a worker an operation goes on only when the test says so.
  site = await openSite();
  env = { ...site.folders.env, HOSTPLANE_URL: site.url, HOSTPLANE_API_KEY: site.key };
});
afterAll(() => site.close());

const create = (name: string): string[] =>
  `vm create --name ${name} --location fra1 --plan flex-2-4 --source.image-id ubuntu-24.04`.split(' ');

describe('--wait', () => {
  it('130: Ctrl-C prints what continues, and how to follow it', async () => {
    const program = await startProgram([...create('left'), '--wait'], env);
    await program.says('vm.create left: queued');
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(130);
    const [, id] = /The operation (op_\w+) \(vm\.create\) goes on without you\./.exec(program.err()) ?? [];
    expect(program.err()).toContain(`hostplane account operation get ${id} --wait`);
    expect(program.err()).toContain(`hostplane account operation cancel ${id}`);
    await settle(site.app);
    const again = await site.line(`account operation get ${id} --wait --query status`);
    expect([again.code, again.out]).toEqual([0, 'succeeded\n']);
  });

  it('11: --timeout stops the waiting, not the operation', async () => {
    const { code, err } = await site.line([...create('slow'), '--wait', '--timeout', '1']);
    expect([code, err]).toEqual([
      11,
      expect.stringMatching(/The time is over, and op_\w+ \(vm\.create\) still runs/),
    ]);
    await settle(site.app);
  });

  it('is not the default: the command ends immediately and says how to wait', async () => {
    const { code, out, err } = await site.line([...create('later'), '--query', 'status']);
    expect([code, out]).toEqual([0, 'creating\n']);
    expect(err).toMatch(
      /The work goes on as op_\w+\. Wait for it with: hostplane account operation get op_\w+ --wait/,
    );
    await settle(site.app);
  });

  it('10: the operation was cancelled', async () => {
    const ran = site.line([...create('given-up'), '--wait'], {
      onError: (text) => {
        if (text.startsWith('vm.create given-up: queued')) void cancel();
      },
    });
    const cancel = async (): Promise<void> => {
      const list = await site.line('operation list --type vm.create --status queued --query [0].id');
      await site.line(`operation cancel ${list.out.trim()}`);
      await settle(site.app);
    };
    const { code, err } = await ran;
    expect([code, err]).toEqual([
      10,
      expect.stringMatching(/\(vm\.create\) cancelled[\s\S]*Operation id: op_/),
    ]);
  });

  it('shows one line that is rewritten on a terminal', async () => {
    let settled: Promise<unknown> | undefined;
    const { code, err } = await site.line([...create('shown'), '--wait', '-o', 'name'], {
      isTerminal: true,
      onError: () => {
        settled ??= settle(site.app);
      },
    });
    await settled;
    expect(code).toBe(0);
    expect(err).toContain('\r\u001b[2Kvm.create shown: queued');
    expect(err).not.toContain('\n');
  });
});

describe('events', () => {
  it('--follow prints events as they happen, until Ctrl-C', async () => {
    const program = await startProgram('events --follow --types placement_group.* -o json'.split(' '), env);
    // The stream begins with what happens after it was opened.
    await expect.poll(() => site.app.services.waiters.size).toBeGreaterThan(0);
    await site.line('placement-group create --name followed --location fra1');
    await program.says('"placement_group.created"');
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(130);
    const [first = ''] = program.out().split('\n');
    expect(JSON.parse(first)).toMatchObject({ type: 'placement_group.created', family: 'flexible-vps' });
  });

  it('are listed without --follow', async () => {
    const { code, out } = await site.line('events --types placement_group.* --limit 1 --query [].type');
    expect([code, out]).toEqual([0, 'placement_group.created\n']);
  });
});

describe('a console', () => {
  it('shows what the machine prints, sends what is typed, and Ctrl-] leaves', async () => {
    // `script` gives the program a real terminal.
    const command = `${process.execPath} ${await programPath()} console left`;
    const terminal = start('script', ['-qec', command, '/dev/null'], env);
    await terminal.says('Ctrl-] leaves the console.');
    await terminal.says('login:');
    terminal.child.stdin?.write('\u001d');
    await terminal.says('The console is closed.');
    expect(await terminal.ended).toBe(0);
    // The machine ends its lines with CR LF; a terminal that adds its own CR is not raw.
    const shown = terminal.out().slice(0, terminal.out().indexOf('The console is closed.'));
    expect(shown).toContain('\r\n');
    expect(shown).not.toContain('\r\r\n');
  });

  it('5: of a machine that does not exist', async () => {
    const { code, err } = await site.line('console lefd');
    expect([code, err]).toEqual([5, 'There is nothing called "lefd". Did you mean left?\n']);
  });
});

describe('estimate', () => {
  it('prices the flags of the create command, line by line', async () => {
    const { code, out } = await site.line(
      'estimate vm --location fra1 --plan flex-2-4 --disk-gb 100 --quantity 2 --usage traffic_out_gb=21000',
    );
    expect([code, out]).toEqual([0, expect.stringMatching(/^DESCRIPTION[\s\S]*Total: 19\.60 EUR a month/)]);
  });
});
