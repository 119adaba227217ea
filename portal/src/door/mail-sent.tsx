import { post } from '../data/http.ts';
import type { Site } from '../data/site.ts';
import { Button } from '../ui/button.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { useAct } from '../ui/use-act.ts';
import { Head } from './frame.tsx';
import { withNext } from './next.ts';

/** The same words whether the address is known or not: only the mail tells the rest. */
export function MailSent({
  site,
  email,
  again,
  what,
}: {
  site: Site | undefined;
  email: string;
  again: string;
  what: string;
}) {
  const { busy, error, run } = useAct(async () => {
    await post(again, { email });
  });
  return (
    <>
      <Head title="Look into your mail">
        We sent a message to <strong className="font-medium text-ink">{email}</strong>. {what} with the link
        in it.
      </Head>
      <div className="grid gap-4">
        {site?.mail === 'files' && (
          <Notice>
            This server sends no mail yet: its messages are kept in{' '}
            <a className="link" href="/portal/outbox">
              its outbox
            </a>
            .
          </Notice>
        )}
        <p className="text-sm text-muted">
          Nothing there after a few minutes? Look into the spam folder, or let us send it again.
        </p>
        <ProblemNotice error={error} />
        <Button busy={busy} onClick={() => void run()}>
          Send it again
        </Button>
        <p className="text-center text-sm">
          <a className="link" href={withNext('sign-in')}>
            Back to sign in
          </a>
        </p>
      </div>
    </>
  );
}
