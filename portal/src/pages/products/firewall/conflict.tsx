import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { type FirewallRow, inWords } from './rules.ts';

/** Somebody was faster. Nothing of what was typed is lost. */
export function Conflict(props: { firewall: FirewallRow; compare: () => void; drop: () => void }) {
  const { default_in, default_out, rules } = props.firewall;
  return (
    <div className="mb-5">
      <Notice tone="warn">
        <p className="font-medium">Somebody changed this firewall while you edited it</p>
        <p>
          Your edits are still here and not applied. If you keep them, Apply shows what they change in the
          firewall as it is now: rules that you do not have in the table are removed.
        </p>
        <details className="mt-2">
          <summary>The firewall as it is now</summary>
          <ul className="mt-1 list-disc pl-5 wrap-anywhere">
            <li>
              Without a rule: arriving {default_in}, outgoing {default_out}
            </li>
            {rules.map((rule) => (
              <li key={rule.id}>{inWords(rule)}</li>
            ))}
          </ul>
        </details>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button small onClick={props.compare}>
            Keep my edits
          </Button>
          <Button small onClick={props.drop}>
            Take the firewall as it is now
          </Button>
        </div>
      </Notice>
    </div>
  );
}
