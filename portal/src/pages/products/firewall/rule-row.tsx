import { useId } from 'react';
import { Reference } from '../../../resource/value.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Acts, Cell, Row } from '../../../ui/rows.tsx';
import { type Draft, hasPorts, type Mark, protocolNames } from './rules.ts';

interface Props {
  readonly draft: Draft;
  /** Counted from 1, for people who hear the fields. */
  readonly number: number;
  readonly mark: Mark;
  readonly fault: (member: string) => string | undefined;
  readonly change: (values: Partial<Draft>) => void;
  readonly open: () => void;
  readonly duplicate: () => void;
  readonly remove: () => void;
}

const marks = { new: 'New', changed: 'Changed' } as const;

export function RuleRow({ draft, number, mark, fault, change, open, duplicate, remove }: Props) {
  const of = `of rule ${number}`;
  const noPorts = !hasPorts(draft.protocol);
  return (
    <Row>
      <Cell wide>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 lg:grid lg:pt-2">
          <span className="text-muted">
            <span className="lg:sr-only">Rule </span>
            {number}
          </span>
          <Marks mark={mark} isOff={!draft.enabled} />
        </span>
      </Cell>
      <Cell label="Direction">
        <select
          aria-label={`Direction ${of}`}
          className="input lg:min-w-[84px]"
          // biome-ignore lint/a11y/noAutofocus: whoever adds a rule fills it in next.
          autoFocus={draft.isNew ?? false}
          value={draft.direction}
          onChange={({ target }) => change({ direction: target.value as Draft['direction'] })}
        >
          <option value="in">In</option>
          <option value="out">Out</option>
        </select>
      </Cell>
      <Cell label="Action">
        <select
          aria-label={`Action ${of}`}
          className="input lg:min-w-[98px]"
          value={draft.action}
          onChange={({ target }) => change({ action: target.value as Draft['action'] })}
        >
          <option value="allow">Allow</option>
          <option value="drop">Drop</option>
        </select>
      </Cell>
      <Cell label="Protocol">
        <select
          aria-label={`Protocol ${of}`}
          className="input lg:min-w-[98px] xl:min-w-[118px]"
          value={draft.protocol}
          onChange={({ target }) => change({ protocol: target.value as Draft['protocol'] })}
        >
          {protocolNames.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </Cell>
      <Cell label="Ports">
        <Text
          label={`Ports ${of}`}
          placeholder={noPorts ? 'None' : 'All'}
          disabled={noPorts}
          value={noPorts ? '' : draft.ports}
          fault={fault('ports')}
          change={(ports) => change({ ports })}
        />
        {draft.protocol === 'icmp' && draft.icmp_type !== null && (
          <span className="text-xs text-muted">Type {draft.icmp_type}</span>
        )}
      </Cell>
      <Cell label={draft.direction === 'in' ? 'From' : 'To'} wide>
        <Text
          label={`${draft.direction === 'in' ? 'Sources' : 'Destinations'} ${of}`}
          placeholder={draft.remote_firewall_ids.length > 0 ? 'And these ranges' : 'Everybody'}
          value={draft.remote_cidrs}
          fault={fault('remote_cidrs') ?? fault('remote_firewall_ids')}
          change={(remote_cidrs) => change({ remote_cidrs })}
        />
        {draft.remote_firewall_ids.length > 0 && (
          <span className="mt-1 flex flex-wrap gap-x-2 text-sm text-muted">
            Machines of
            {draft.remote_firewall_ids.map((id) => (
              <Reference key={id} id={id} />
            ))}
          </span>
        )}
      </Cell>
      <Cell label="Description" wide>
        <Text
          label={`Description ${of}`}
          value={draft.description}
          fault={fault('description') ?? fault('')}
          change={(description) => change({ description })}
        />
      </Cell>
      <Acts>
        <Menu
          label={`Acts on rule ${number}`}
          items={[
            { label: 'All fields', run: open },
            { label: 'Duplicate', run: duplicate },
            {
              label: draft.enabled ? 'Switch off' : 'Switch on',
              run: () => change({ enabled: !draft.enabled }),
            },
            'line',
            { label: 'Remove', danger: true, run: remove },
          ]}
        />
      </Acts>
    </Row>
  );
}

function Marks({ mark, isOff }: { mark: Mark; isOff: boolean }) {
  if (mark === null && !isOff) return null;
  return (
    <span className="flex flex-wrap gap-1">
      {mark && <Badge tone="info">{marks[mark]}</Badge>}
      {isOff && <Badge tone="plain">Off</Badge>}
    </span>
  );
}

function Text(props: {
  label: string;
  value: string;
  placeholder?: string;
  disabled?: boolean;
  fault: string | undefined;
  change: (text: string) => void;
}) {
  const { label, value, placeholder = '', disabled = false, fault, change } = props;
  const id = useId();
  return (
    <>
      <input
        aria-label={label}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? id : undefined}
        className="input xl:min-w-[120px]"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        disabled={disabled}
        value={value}
        onChange={({ target }) => change(target.value)}
      />
      {fault && (
        <p id={id} className="mt-1 w-0 min-w-full text-sm text-bad">
          {fault}
        </p>
      )}
    </>
  );
}
