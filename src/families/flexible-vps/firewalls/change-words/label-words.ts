/** What other labels of a machine mean for the firewalls that are attached by labels. */
import { type ForeseenChange, says, type Telling } from '../../../../kernel/change-words/change-words.ts';
import { matchesLabels } from '../../../../kernel/pages/label-selector.ts';
import { effectiveWords } from './effective.ts';
import { readSelectors } from './store.ts';

type Labels = Readonly<Record<string, string>>;

export async function labelWords(
  vmId: string,
  labels: { readonly before: Labels; readonly after: Labels },
  { db, accountId, subject }: Telling,
): Promise<ForeseenChange[]> {
  const selectors = (await readSelectors(db, accountId)).map(({ terms, ...attachment }) => ({
    ...attachment,
    had: matchesLabels(terms ?? [], labels.before),
    has: matchesLabels(terms ?? [], labels.after),
  }));
  const differing = selectors.filter(({ had, has }) => had !== has);
  if (differing.length === 0) return [];
  const { words, gained, lost } = await effectiveWords(
    {
      vmId,
      newAttachments: differing.flatMap(({ id, has }) => (has ? [id] : [])),
      formerFirewalls: differing.flatMap(({ firewall_id, had }) => (had ? [firewall_id] : [])),
    },
    null,
    { db, accountId, subject: 'the change of its labels', machine: subject },
  );
  return [
    ...gained.map((id) => says(`its labels give ${subject} the firewall ${id}`)),
    ...lost.map((id) => says(`its labels take the firewall ${id} from ${subject}`)),
    ...words,
  ];
}
