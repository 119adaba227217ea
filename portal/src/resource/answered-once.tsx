import type { Resource } from '../data/product.ts';
import { spoken } from '../data/words.ts';
import type { Described } from '../form/document.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { membersOf } from './schema.ts';

export interface Secret {
  readonly title: string;
  readonly text: string;
}

/** The members of an answer that no later answer shows again. */
export function secretsIn(answer: Resource, { answer: schema, resolve }: Described): readonly Secret[] {
  if (schema === null) return [];
  return membersOf(schema, resolve).flatMap(([name, each]) => {
    const value = answer[name];
    return each['x-secret'] === true && typeof value === 'string' && value !== ''
      ? [{ title: String(each['x-label'] ?? spoken(name)), text: value }]
      : [];
  });
}

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
