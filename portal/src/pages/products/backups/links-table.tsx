import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keyNamesQuery } from '../../../data/account-queries.ts';
import type { NounCall, PathValues } from '../../../data/nouns.ts';
import { perform, refreshNouns } from '../../../data/product.ts';
import { membersQuery } from '../../../data/queries.ts';
import { useAccount } from '../../../data/session.ts';
import type { Backup } from '../../../data/storage-types.ts';
import { count } from '../../../data/words.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemNotice } from '../../../ui/notice.tsx';
import { Acts, Cell, Row, Table } from '../../../ui/rows.tsx';
import { Section } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useAct } from '../../../ui/use-act.ts';

interface Props {
  readonly backup: Backup;
  readonly call: NounCall | undefined;
  readonly path: PathValues;
  readonly why: string | undefined;
}

/** The links that work now. Whose link it is, and whether somebody has used it, says whether it should end. */
export function Links({ backup, call, path, why }: Props) {
  const account = useAccount();
  const client = useQueryClient();
  const links = backup.download_links;
  const end = useAct(async (id: string) => {
    if (call === undefined) return;
    await perform(account, { call, path, body: { end_links: [id], make_link: false } });
    refreshNouns(client, account.id);
    toast('The link has ended');
  });
  return (
    <Section title="Links that work now" note="To end one also cuts off downloads that are running.">
      {links.length === 0 ? (
        <p className="text-muted">There are none.</p>
      ) : (
        <Table label="Links that work now" columns={['Made', 'By', 'Ends', 'Used', 'Acts']}>
          {links.map(({ id, created_by, created_at, expires_at, uses, last_used_at }) => (
            <Row key={id}>
              <Cell label="Made">
                <Ago time={created_at} />
              </Cell>
              <Cell label="By" free>
                <Maker by={created_by} />
              </Cell>
              <Cell label="Ends">
                <Ago time={expires_at} />
              </Cell>
              <Cell label="Used">
                {uses === 0 ? 'never' : count(uses, 'time')}
                {last_used_at !== null && (
                  <span className="text-muted">
                    , last <Ago time={last_used_at} />
                  </span>
                )}
              </Cell>
              <Acts>
                <Button small why={why} busy={end.busy} onClick={() => void end.run(id)}>
                  End
                </Button>
              </Acts>
            </Row>
          ))}
        </Table>
      )}
      <ProblemNotice error={end.error} />
    </Section>
  );
}

function Maker({ by: { api_key_id, member_id } }: { by: Backup['download_links'][number]['created_by'] }) {
  const account = useAccount();
  const members = useQuery({ ...membersQuery(account), enabled: member_id !== null }).data?.data;
  const keys = useQuery({ ...keyNamesQuery(account), enabled: api_key_id !== null }).data?.data;
  if (api_key_id !== null)
    return <>The key {keys?.find(({ id }) => id === api_key_id)?.name ?? api_key_id}</>;
  return <>{members?.find(({ id }) => id === member_id)?.name ?? member_id}</>;
}
