import { type UsageAsked, usageByDay } from '../../data/account-queries.ts';
import { CSV, csvOf } from '../../data/csv.ts';
import type { Account } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { linesOf } from './table.ts';

/** The usage of each day, split as the page splits it. */
export function ExportCsv({
  account,
  asked,
  why,
}: {
  account: Account;
  asked: UsageAsked;
  why: string | undefined;
}) {
  const { busy, error, run } = useAct(async () => {
    const figures = await usageByDay(account, asked);
    const { group_by: by, label_key: label } = asked;
    const title = label === undefined ? by : `${by} ${label}`;
    saveFile(`usage-${figures.period.from.slice(0, 10)}-${by}.csv`, csvOf(linesOf(figures, title)), CSV);
    if (!figures.isWhole) toast('The file has no room for all. Its last line says what to do.');
  });
  return (
    <Button busy={busy} why={why} onClick={() => void run()}>
      {!busy && <Icon name="download" />}
      {error === null ? 'CSV' : 'CSV failed, try again'}
    </Button>
  );
}
