import { Link } from '@tanstack/react-router';
import type { OperationIndex } from '../../data/types.ts';
import { Empty } from '../../ui/states.tsx';
import { nearest } from './nearest.ts';

/** A list of endpoints that the filter left empty. */
export const NoHits = ({ words, index }: { words: string; index: OperationIndex }) => (
  <Empty title={`Nothing has the words ${words}`}>
    The nearest names:{' '}
    {nearest(words, index, 3).map(({ id }) => (
      <Link key={id} className="link mx-1" to="/api/reference/$operation" params={{ operation: id }}>
        {id}
      </Link>
    ))}
  </Empty>
);
