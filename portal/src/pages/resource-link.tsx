import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../data/account-types.ts';
import { resourcePath } from '../data/links.ts';
import { spoken } from '../data/words.ts';

/** A resource by its kind and name, and the way to its page if it has one. */
export function ResourceLink({ resource }: { resource: NonNullable<AuditEntry['resource']> }) {
  const { type, id, name } = resource;
  const path = resourcePath(resource);
  const shown = name || id || '';
  const [to = '', search = ''] = (path ?? '').split('?');
  return (
    <span className="min-w-0">
      {spoken(type)}{' '}
      {path === null ? (
        <span className="wrap-anywhere">{shown}</span>
      ) : (
        <Link to={to} search={Object.fromEntries(new URLSearchParams(search))} className="link wrap-anywhere">
          {shown}
        </Link>
      )}
    </span>
  );
}
