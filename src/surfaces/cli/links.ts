import type { Command } from 'commander';
import { endDownloadLink, listDownloadLinks } from '../../portal-api/download-links/links.ts';
import { chooseAccount } from './choice.ts';
import type { Cli } from './command.ts';
import { table } from './table.ts';

export function addLinks(program: Command, cli: Cli): void {
  const links = program
    .command('links')
    .description('links with which files of an account can be downloaded');

  links
    .command('list')
    .description('links that work now, the oldest first')
    .action(
      cli.atDesk(async (desk) => {
        const account = await chooseAccount(desk);
        const found = await listDownloadLinks(desk.db, account.id);
        const rows = found.map((link) => ({
          id: link.id,
          file: link.resource_id,
          'made by': link.api_key_id ?? link.member_id,
          until: link.expires_at,
          uses: link.uses,
        }));
        return { json: found, text: table(rows, 'No file can be downloaded with a link.') };
      }),
    );

  links
    .command('end')
    .description('end a link, and cut off downloads that are running')
    .argument('<id>', 'the id of the link (lnk_…)')
    .action(
      cli.atDesk(async (desk, _, [id = '']) => {
        const account = await chooseAccount(desk);
        await desk.confirm(`Whoever has the link ${id} can no longer download with it.`);
        const ended = await endDownloadLink(desk.db, desk.actor, { account_id: account.id, link_id: id });
        return { json: ended, text: `The link ${id} to ${ended.resource_id} has ended.\n` };
      }),
    );
}
