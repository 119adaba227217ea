import type { Command } from 'commander';
import { resetSecrets } from '../../portal-api/secrets/reset.ts';
import type { Cli } from './command.ts';

export function addSecrets(program: Command, cli: Cli): void {
  program
    .command('secrets')
    .description('the key that encrypts the secrets in the database')
    .command('reset')
    .description(
      'use a new key after the old one was lost; disables all webhooks and removes all apps for one-time passwords',
    )
    .action(
      cli.atDesk(async ({ db, actor, config, confirm }) => {
        await confirm(
          'Stop every server and worker first. All webhooks are disabled until their owners rotate the secret, and people with an app for one-time passwords sign in without it until they set it up again. Go on?',
        );
        const done = await resetSecrets(db, actor, config.secrets);
        const text = `The new key is in use. ${done.webhooks} webhooks of ${done.accounts} accounts were disabled; their owners enable them again with a higher secret_version. ${done.people} people have to set up their app for one-time passwords again.\n`;
        return { json: done, text };
      }),
    );
}
