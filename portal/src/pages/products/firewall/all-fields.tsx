import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operationQuery } from '../../../data/queries.ts';
import { type Described, describe, type Schema } from '../../../form/document.ts';
import { Facts } from '../../../form/facts.ts';
import { ObjectForm } from '../../../form/form.tsx';
import { Button } from '../../../ui/button.tsx';
import { Cancel, Dialog } from '../../../ui/dialog.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { type Draft, draftOf, type Sent, sentOf } from './rules.ts';

const CALL = 'updateVpsFirewall';

/** The members of a rule that a person fills in. */
function ruleSchema({ body, resolve }: Described): Schema {
  const { rules } = (body?.['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const rule = resolve((resolve(rules ?? {})['items'] ?? {}) as Schema);
  const { id: _, ...properties } = (rule['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  return { ...rule, properties };
}

interface Props {
  readonly draft: Draft;
  readonly number: number;
  readonly path: Readonly<Record<string, string>>;
  readonly change: (draft: Draft) => void;
  readonly close: () => void;
}

/** One rule with everything that a rule can say. The table has what most rules need. */
export function AllFields({ draft, number, path, change, close }: Props) {
  const document = useQuery(operationQuery(CALL));
  const [rule, setRule] = useState<Partial<Sent>>(() => sentOf(draft));
  const keep = (): void => {
    change({ ...draftOf({ ...sentOf(draft), ports: [], remote_cidrs: [], ...rule, id: draft.key }) });
    close();
  };
  return (
    <Dialog
      title={`Rule ${number}`}
      intro="It is sent with the other rules when you apply them."
      close={close}
      onSubmit={keep}
      foot={
        <>
          <Cancel />
          <Button kind="primary" type="submit">
            Keep
          </Button>
        </>
      }
    >
      <Loaded query={document} rows={4}>
        {(json) => {
          const described = describe(json, CALL);
          if (described === null) return <p>The document has no such call any more. Reload the page.</p>;
          return (
            <Facts value={{ resolve: described.resolve, body: rule, path, faults: () => undefined }}>
              <ObjectForm
                schema={ruleSchema(described)}
                value={rule}
                change={(next) => setRule(next as Partial<Sent>)}
              />
            </Facts>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
