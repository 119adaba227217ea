import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** The signing secret is only in this dialog: closing it is the end of it. */
export const SecretOnce = ({ name, secret, close }: { name: string; secret: string; close: () => void }) => (
  <Dialog
    wide
    secret
    title={`The signing secret of ${name}`}
    intro="This is the only time it is shown. Give it to your server: it verifies with it that a message is from here."
    close={close}
    foot={
      <Button kind="primary" onClick={close}>
        I have kept it
      </Button>
    }
  >
    <div className="flex min-w-0 flex-wrap items-center gap-3 rounded-lg border border-accent bg-accent-soft p-3.5">
      <code data-secret className="min-w-0 flex-1 font-medium break-all text-accent-ink">
        {secret}
      </code>
      <Copy text={secret} label="Copy the secret" className="btn btn-primary" />
    </div>
    <p className="text-muted">
      Messages follow Standard Webhooks: verify <code>webhook-signature</code> over the raw bytes, and refuse
      a <code>webhook-timestamp</code> that is more than five minutes off. <em>Examples</em> has a receiver.
    </p>
  </Dialog>
);
