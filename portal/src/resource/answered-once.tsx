import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { Secret } from './answered-secrets.ts';

export function AnsweredOnce(props: { title: string; secrets: readonly Secret[]; close: () => void }) {
  return (
    <Dialog
      wide
      secret
      title={props.title}
      intro="This is the only time that it is shown. Keep it in a safe place."
      close={props.close}
      foot={
        <Button kind="primary" onClick={props.close}>
          I have kept it
        </Button>
      }
    >
      {props.secrets.map(({ title, text }) => (
        <Code key={title} title={title} text={text} wrap />
      ))}
    </Dialog>
  );
}
