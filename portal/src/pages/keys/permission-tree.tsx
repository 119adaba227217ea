import { useState } from 'react';
import { grants } from '../../data/permissions.ts';
import type { KeyOptions, PermissionChoice } from '../../data/types.ts';
import { Icon } from '../../ui/icons.tsx';

interface Props {
  readonly families: KeyOptions['families'];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (permissions: ReadonlySet<string>) => void;
  readonly fault: string | undefined;
}

/**
 * Permissions by family and resource. A box of a resource or family stands for all in it that the person may give. What a
 * key has with a wildcard stands above, because the boxes below can only take single permissions away.
 */
export function PermissionTree({ families, chosen, choose, fault }: Props) {
  const [words, setWords] = useState('');
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  const isAsked = (text: string): boolean => asked.every((word) => text.toLowerCase().includes(word));
  const shown = families
    .map((family) => ({
      ...family,
      resources: family.resources
        .map((resource) => ({
          ...resource,
          permissions: resource.permissions.filter(({ pattern, summary }) =>
            isAsked(`${family.title} ${resource.title} ${pattern} ${summary}`),
          ),
        }))
        .filter(({ permissions }) => permissions.length > 0),
    }))
    .filter(({ resources }) => resources.length > 0);
  const wide = [...chosen].filter((pattern) => pattern.includes('*'));
  const set = (patterns: readonly string[], on: boolean): void => {
    const next = new Set(chosen);
    for (const pattern of patterns)
      if (on) next.add(pattern);
      else next.delete(pattern);
    choose(next);
  };
  return (
    <div className="min-w-0 overflow-hidden rounded-md border border-line">
      <div className="flex items-center gap-3 border-b border-line bg-sunken p-2">
        <input
          type="search"
          aria-label="Search permissions"
          placeholder="Search: networks, delete, flexible-vps…"
          className="input"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <span role="status" className="shrink-0 pr-2 text-sm text-muted">
          {chosen.size} chosen
        </span>
      </div>
      {fault && <p className="px-3 pt-2 text-sm text-bad">{fault}</p>}
      {wide.length > 0 && (
        <ul className="flex flex-wrap gap-2 border-b border-line p-2">
          {wide.map((pattern) => (
            <li
              key={pattern}
              className="flex items-center gap-1 rounded-md bg-accent-soft pl-2.5 text-sm text-accent-ink"
            >
              <code className="break-all">{pattern}</code>
              <button
                type="button"
                className="btn btn-quiet btn-small w-8 px-0"
                aria-label={`Take away ${pattern}`}
                onClick={() => set([pattern], false)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="max-h-[320px] overflow-y-auto p-3">
        {shown.length === 0 && <p className="py-6 text-center text-muted">No permission has these words.</p>}
        {shown.map((family) => {
          const all = family.resources.flatMap(({ permissions }) => allowedIn(permissions));
          return (
            <fieldset key={family.id} className="mb-4 last:mb-0">
              <legend className="mb-1 w-full">
                <Box label={family.title} strong patterns={all} chosen={chosen} set={set} />
              </legend>
              {family.resources.map((resource) => (
                <div key={resource.id} className="grid gap-x-4 py-1 pl-7 sm:grid-cols-[170px_minmax(0,1fr)]">
                  <Box
                    label={resource.title}
                    patterns={allowedIn(resource.permissions)}
                    chosen={chosen}
                    set={set}
                  />
                  <div className="flex flex-wrap gap-x-5 max-sm:pl-7">
                    {resource.permissions.map((permission) => (
                      <Leaf key={permission.pattern} permission={permission} chosen={chosen} set={set} />
                    ))}
                  </div>
                </div>
              ))}
            </fieldset>
          );
        })}
      </div>
    </div>
  );
}

const allowedIn = (permissions: readonly PermissionChoice[]): string[] =>
  permissions.filter(({ allowed = true }) => allowed).map(({ pattern }) => pattern);

const byWildcard = (chosen: ReadonlySet<string>, permission: string): string | undefined =>
  [...chosen].find((pattern) => pattern.includes('*') && grants(pattern, permission));

const isGiven = (chosen: ReadonlySet<string>, permission: string): boolean =>
  chosen.has(permission) || byWildcard(chosen, permission) !== undefined;

type SetAll = (patterns: readonly string[], on: boolean) => void;

function Box({
  label,
  strong,
  patterns,
  chosen,
  set,
}: {
  label: string;
  strong?: boolean;
  patterns: readonly string[];
  chosen: ReadonlySet<string>;
  set: SetAll;
}) {
  const on = patterns.filter((pattern) => isGiven(chosen, pattern)).length;
  const off = patterns.length === 0;
  // Only the wildcard itself can be taken away.
  const isFixed = off || patterns.every((pattern) => byWildcard(chosen, pattern) !== undefined);
  return (
    <label
      className={`flex min-h-7 items-center gap-2.5 ${strong ? 'font-semibold' : ''} ${off ? 'text-muted' : 'cursor-pointer'}`}
    >
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        disabled={isFixed}
        checked={on > 0 && on === patterns.length}
        ref={(box) => {
          if (box) box.indeterminate = on > 0 && on < patterns.length;
        }}
        onChange={(event) => set(patterns, event.target.checked)}
      />
      <span>
        {label}
        {off && <span className="text-sm font-normal text-faint"> (not in your role)</span>}
      </span>
    </label>
  );
}

function Leaf({
  permission,
  chosen,
  set,
}: {
  permission: PermissionChoice;
  chosen: ReadonlySet<string>;
  set: SetAll;
}) {
  const { pattern, summary, sensitive, allowed = true } = permission;
  const wildcard = byWildcard(chosen, pattern);
  // What a key has already can be taken away, also by a person whose role could not give it.
  const isFixed = wildcard !== undefined || !(allowed || chosen.has(pattern));
  const verb = pattern.split(':')[2] ?? pattern;
  return (
    <label
      title={
        wildcard
          ? `${pattern}: given by ${wildcard}`
          : `${pattern}: ${allowed ? summary : 'your role does not allow it.'}`
      }
      className="flex min-h-7 cursor-pointer items-center gap-2 text-sm text-muted"
    >
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        checked={isGiven(chosen, pattern)}
        disabled={isFixed}
        onChange={(event) => set([pattern], event.target.checked)}
      />
      <span>
        <span className="sr-only">{pattern.split(':')[1]} </span>
        {verb}
        {sensitive && <span className="text-warn"> (sensitive)</span>}
        {!allowed && <span className="text-faint"> (not in your role)</span>}
      </span>
    </label>
  );
}
