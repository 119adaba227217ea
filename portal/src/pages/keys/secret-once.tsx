import { useQuery } from '@tanstack/react-query';
import { siteQuery } from '../../data/session.ts';
import type { NewKey } from '../../data/types.ts';
import { Button } from '../../ui/button.tsx';
import { Code, Copy } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

/** The secret is only in this dialog: closing it is the end of it. */
export function SecretOnce({ made, close }: { made: NewKey; close: () => void }) {
  const base = useQuery(siteQuery).data?.api_base_url ?? location.origin;
  return (
    <Dialog
      wide
      secret
      title={`The key ${made.key.name} is ready`}
      intro="This is the only time its secret is shown. Keep it in a password manager or your CI’s secrets."
      close={close}
      foot={
        <Button kind="primary" onClick={close}>
          I have kept it
        </Button>
      }
    >
      <div className="flex min-w-0 flex-wrap items-center gap-3 rounded-lg border border-accent bg-accent-soft p-3.5">
        <code data-secret className="min-w-0 flex-1 font-medium break-all text-accent-ink">
          {made.secret}
        </code>
        <Copy text={made.secret} label="Copy the secret" className="btn btn-primary" />
      </div>
      {made.warnings?.map(({ code, detail }) => (
        <Notice key={code} tone="warn">
          {detail}
        </Notice>
      ))}
      <Code title="Set it for your shell" text={`export HOSTPLANE_API_KEY=${made.secret}`} wrap />
      <Code
        title="A first call"
        text={`curl -H "X-API-Key: $HOSTPLANE_API_KEY" ${base}/account/v1/whoami`}
        wrap
      />
    </Dialog>
  );
}
