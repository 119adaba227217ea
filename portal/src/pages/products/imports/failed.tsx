import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { failedOnQuery } from '../../../data/account-queries.ts';
import { listAddress, type Noun } from '../../../data/nouns.ts';
import { useAccount } from '../../../data/session.ts';
import { Notice } from '../../../ui/notice.tsx';

/** What to do about it, by the reason. */
const cures: Readonly<Record<string, string>> = {
  fetch_failed:
    'See that the address is right, and that everybody can reach its server. Then import it again.',
  http_status:
    'Its server did not give the file. A link may have expired, or need a password: make a new link, then import it again.',
  too_large: 'Make the file smaller, for example by packing it, then import it again.',
  checksum_mismatch:
    'Compare the SHA-256 that you gave with the one of the file at its source. Import it again with the right one, or without one.',
  blocked_address: 'Put the file on a server with a public address, then import it again from there.',
  timeout: 'Its server was too slow or silent. Try again later, or from another server.',
  too_slow: 'Put the file on a faster server, then import it again from there.',
  unsupported_format: 'Convert it, for example with qemu-img convert -O qcow2, then import it again.',
  not_an_iso: 'The address does not lead to a disc. See that it is that of the file itself, not of its page.',
};

const OTHER = 'Try it again. If it fails again, ask support and name the operation.';

interface Props {
  readonly id: string;
  readonly noun: Noun;
  readonly title: string;
  readonly failure: { readonly code: string; readonly detail: string } | null;
}

/** Why it could not be made, what helps, and the way to do it again. */
export function Failed({ id, noun, title, failure }: Props) {
  const account = useAccount();
  const operation = useQuery(failedOnQuery(account, id)).data?.data[0];
  return (
    <div className="mb-6">
      <Notice tone="bad">
        <p className="font-medium">{title}</p>
        {failure && <p className="wrap-anywhere">{failure.detail}</p>}
        <p className="mt-1">{cures[failure?.code ?? ''] ?? OTHER}</p>
        <p className="mt-2 flex flex-wrap gap-2">
          <Link
            to={`${listAddress(noun)}/new`}
            search={operation === undefined ? {} : { again: operation.id }}
            className="btn btn-plain btn-small"
          >
            Try it again
          </Link>
          {operation && (
            <Link to="/operations/$id" params={{ id: operation.id }} className="btn btn-plain btn-small">
              Its operation
            </Link>
          )}
        </p>
      </Notice>
    </div>
  );
}
