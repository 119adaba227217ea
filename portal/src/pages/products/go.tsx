import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { addressOf, nounNamed, nounsQuery } from '../../data/nouns.ts';
import { Activity } from '../../resource/activity.tsx';
import { useNamed } from '../../resource/references.ts';
import { PageHead, Skeleton } from '../../ui/states.tsx';

/** Leads from an id to the page of what it names. */
export default function Go() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const named = useNamed(id);
  const families = useQuery(nounsQuery).data;
  if (named === undefined || families === undefined) return <Skeleton rows={4} />;
  const noun = named && nounNamed(families, named.type);
  if (named && noun && (noun.parent === undefined || named.parent_id !== null))
    return <Navigate to={addressOf(noun, families, id, named.parent_id ?? undefined)} replace />;
  return (
    <>
      <PageHead title="This is not there">
        It was deleted, or it belongs to another account. Below stands what was done with it.
      </PageHead>
      <p className="mb-6">
        <Link to="/" className="btn btn-primary">
          Home
        </Link>
      </p>
      <Activity id={id} />
    </>
  );
}
