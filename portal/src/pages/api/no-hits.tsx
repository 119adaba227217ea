import { Link } from '@tanstack/react-router';
import type { OperationIndex } from '../../data/reference-types.ts';
import { Empty } from '../../ui/states.tsx';
import { nearest } from './nearest.ts';

/** A list of endpoints that the filter left empty. */
export const NoHits = ({ words, index }: { words: string; index: OperationIndex }) => (
  <Empty title={`Nothing has the words ${words}`}>
    <p>The nearest names:</p>
    <ul className="mt-3 grid gap-1">
      {nearest(words, index, 3).map(({ id }) => (
        <li key={id}>
          <Link className="link break-all" to="/api/reference/$operation" params={{ operation: id }}>
            {id}
          </Link>
        </li>
      ))}
    </ul>
  </Empty>
);
