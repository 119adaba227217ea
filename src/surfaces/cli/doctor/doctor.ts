/**
 * `hostplane admin doctor`: checks everything that a start depends on, without starting, and says how to fix each fault.
 */
import type { Command } from 'commander';
import { firstFaults, formatFault, moreFaults } from '../../../provider/fault.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import type { Cli } from '../command.ts';
import { findConfigFile, loadConfiguration } from '../configuration.ts';
import { clean } from '../table.ts';
import { type Finding, failed, judged, ok } from './check.ts';
import { checkDataFolder, checkImports, checkNode, checkOpenFiles } from './machine.ts';
import { checkMail } from './mail.ts';
import { checkPort, checkTls } from './network.ts';
import { checkPasswords } from './passwords.ts';
import { checkSecretKey } from './secret-key.ts';
import { checkDatabase, checkRedis } from './storage.ts';

const SIGNS = { ok: '✓', failed: '✗', skipped: '–' } as const;

function describeSource(file: string | undefined, isDemo: boolean): string {
  if (file === undefined) return 'the built-in demo provider';
  return isDemo ? `${file}, with the catalogue of the demo provider` : file;
}

function checkConfiguration(
  cli: Cli,
  named?: string,
): { findings: Finding[]; config: ProviderConfig | null } {
  const file = findConfigFile(cli.io, named);
  const loaded = loadConfiguration(cli, file);
  const name = 'Configuration';
  if (loaded.ok) return { findings: [ok(name, describeSource(file, loaded.isDemo))], config: loaded.config };
  const findings = firstFaults(loaded.faults).map((fault) =>
    failed(name, formatFault({ ...fault, fix: '' }).trim(), fault.fix),
  );
  const more = moreFaults(loaded.faults);
  if (more !== null)
    findings.push(failed(name, more, 'To see all of them, run: hostplane admin config check --json'));
  return { findings, config: null };
}

async function examine(cli: Cli, named?: string): Promise<Finding[]> {
  const { findings, config } = checkConfiguration(cli, named);
  const machine = [checkNode(), checkOpenFiles()];
  if (config === null) return [...machine, ...findings];
  const { database, redis, server } = config;
  return [
    ...machine,
    ...findings,
    await checkDataFolder(database.url === null ? database.folder : null),
    await checkImports(config),
    ...(await checkDatabase(config, cli.parts.registry)),
    await checkSecretKey(config),
    await checkPasswords(config.portal),
    await checkRedis(redis.url),
    await checkPort(server),
    await checkTls(server.tls),
    await checkMail(config),
    ...(await cli.parts.examineEngines(config)).map(judged),
  ];
}

function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, status, detail, fix }) => [
    `${SIGNS[status]} ${name.padEnd(width)}  ${detail}`,
    ...(fix === undefined ? [] : [`  ${' '.repeat(width)}  fix: ${fix}`]),
  ]);
  const broken = findings.filter(({ status }) => status === 'failed').length;
  const verdict = broken === 0 ? 'Nothing is wrong.' : `${broken} of ${findings.length} checks failed.`;
  return clean(`${[...lines, '', verdict].join('\n')}\n`);
}

export function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('check everything that Hostplane needs to start, and say how to fix each fault')
    .action(
      cli.action(async ({ config }) => {
        const findings = await examine(cli, config);
        const healthy = findings.every(({ status }) => status !== 'failed');
        return { json: { healthy, checks: findings }, text: describe(findings), code: healthy ? 0 : 1 };
      }),
    );
}
