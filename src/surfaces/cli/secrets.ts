import type { Command } from 'commander';
import { resetSecrets } from '../../portal-api/secrets/reset.ts';
import type { Cli } from './command.ts';

export function addSecrets(program: Command, cli: Cli): void {
  program
    .command('secrets')
    .description('what the secrets in the database are sealed with')
    .command('reset')
    .description('go on with another key after the old one was lost; webhooks are disabled')
    .action(
      cli.atDesk(async ({ db, actor, config, confirm }) => {
        await confirm(
          'Stop every server and worker first. All webhooks are disabled until their owners rotate the secret. Go on?',
        );
        const done = await resetSecrets(db, actor, config.secrets);
        const text = `A new key holds. ${done.webhooks} webhooks of ${done.accounts} accounts were disabled: their owners enable them with a raised secret_version.\n`;
        return { json: done, text };
      }),
    );
}
