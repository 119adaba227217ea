import type { ForeseenChange } from '../data/types.ts';
import { Badge } from './badge.tsx';

/** Our sentences quote names that people chose. The server lets no name end its quotation. */
const QUOTATION = /("[^"]*")/;

const Sentence = ({ text }: { text: string }) =>
  text.split(QUOTATION).map((part, i) =>
    i % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places.
      <strong key={i} className="font-medium">
        {part}
      </strong>
    ) : (
      part
    ),
  );

/** What a call would change, in words. A word marks what loosens, so that nobody has to see colours. */
export const ChangeList = ({ changes }: { changes: readonly ForeseenChange[] }) => (
  <ul className="grid gap-1.5">
    {changes.map(({ text, loosens }) => (
      <li key={text} className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        {loosens && <Badge tone="warn">loosens</Badge>}
        <span className="min-w-0 break-words">
          <Sentence text={text} />
        </span>
      </li>
    ))}
  </ul>
);
