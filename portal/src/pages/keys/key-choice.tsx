/** What a new key may do, for how long, and when a person is asked. */
import { type ReactNode, useState } from 'react';
import type { KeyOptions } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import { SelectField } from '../../ui/field.tsx';
import { RadioCard } from '../../ui/radio-card.tsx';
import { PermissionTree } from './permission-tree.tsx';
import { approvalWords, lifetimeWords, usablePresets } from './words.ts';

const OWN = 'own';

interface Suggested {
  readonly preset: string;
  /** If there are some, they are suggested instead of the preset. */
  readonly permissions?: readonly string[];
  /** Used if the account allows it. */
  readonly lifetime?: string;
}

export function useKeyChoice(options: KeyOptions, suggested: Suggested) {
  const suggestedPermissions = suggested.permissions ?? [];
  const [choice, setChoice] = useState(suggestedPermissions.length > 0 ? OWN : suggested.preset);
  const [permissions, setPermissions] = useState<ReadonlySet<string>>(new Set(suggestedPermissions));
  const [lifetime, setLifetime] = useState<string | null>(null);
  const [approval, setApproval] = useState<string | null>(null);
  const preset = options.presets.find(({ id }) => id === choice);
  const usual = preset?.expires_in ?? suggested.lifetime ?? options.default_lifetime;
  const expires_in = lifetime ?? options.lifetimes.find((each) => each === usual) ?? options.default_lifetime;
  const shownApproval = approval ?? preset?.approval ?? options.policy.default_approval;
  return {
    choice,
    setChoice,
    permissions,
    setPermissions,
    lifetime: expires_in,
    setLifetime,
    approval: shownApproval,
    setApproval,
    /** Why no key can be made of it. */
    why: choice === OWN && permissions.size === 0 ? 'Choose at least one permission.' : undefined,
    /** The values of the fields, by their members of the request. */
    values: { expires_in, approval: shownApproval, permissions, preset: choice },
    /** The members of the request. */
    body: {
      expires_in,
      approval: shownApproval,
      ...(choice === OWN ? { permissions: [...permissions] } : { preset: choice }),
    },
  };
}

interface Props {
  readonly options: KeyOptions;
  readonly choice: ReturnType<typeof useKeyChoice>;
  readonly fault: (member: string) => string | undefined;
  readonly nameField: ReactNode;
}

export function KeyFields({ options, choice, fault, nameField }: Props) {
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-[minmax(0,1fr)_180px]">
        {nameField}
        <SelectField
          label="Expires In"
          value={choice.lifetime}
          fault={fault('expires_in')}
          onChange={(event) => choice.setLifetime(event.target.value)}
        >
          {options.lifetimes.map((each) => (
            <option key={each} value={each}>
              {lifetimeWords[each] ?? each}
            </option>
          ))}
        </SelectField>
      </div>
      <fieldset className="min-w-0">
        <legend className="mb-2 text-sm font-medium">Permissions</legend>
        {fault('preset') && <p className="mb-2 text-sm text-bad">{fault('preset')}</p>}
        <div className="grid gap-2 sm:grid-cols-2">
          {usablePresets(options).map((each) => (
            <RadioCard
              key={each.id}
              name="preset"
              title={each.title}
              note={each.description}
              checked={choice.choice === each.id}
              choose={() => choice.setChoice(each.id)}
            />
          ))}
          <RadioCard
            name="preset"
            title="Choose myself"
            note={
              choice.permissions.size > 0
                ? count(choice.permissions.size, 'permission')
                : 'Pick by family and resource, with search.'
            }
            checked={choice.choice === OWN}
            choose={() => choice.setChoice(OWN)}
          />
        </div>
      </fieldset>
      {choice.choice === OWN && (
        <PermissionTree
          families={options.families}
          chosen={choice.permissions}
          choose={choice.setPermissions}
          fault={fault('permissions')}
        />
      )}
      <SelectField
        label="Approval mode"
        hint={approvalWords[choice.approval]?.[1]}
        value={choice.approval}
        fault={fault('approval')}
        onChange={(event) => choice.setApproval(event.target.value)}
      >
        {options.approval_modes.map((mode) => (
          <option key={mode} value={mode}>
            {approvalWords[mode]?.[0] ?? mode}
          </option>
        ))}
      </SelectField>
    </>
  );
}
