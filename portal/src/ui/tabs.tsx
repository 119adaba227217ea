import { Link } from '@tanstack/react-router';

/** Tabs are links: each has an address of its own. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly (readonly [string, string, (string | undefined)?])[];
}) {
  return (
    <nav
      aria-label={label}
      className="mb-6 flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none]"
    >
      {tabs.map(([title, to, mark]) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          className="-mb-px shrink-0 rounded-t-md border-b-2 border-transparent px-3 py-2 text-muted max-md:px-2 max-md:py-2.5 outline-offset-[-2px] hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {title}
          {mark && (
            <span className="ml-2 rounded-full bg-sunken px-1.5 py-px text-xs text-muted">{mark}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}
