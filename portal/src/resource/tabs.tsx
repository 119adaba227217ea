/** The parts of the page of a resource: what belongs to it, made from the nouns, and what is made by hand. */
import { Link } from '@tanstack/react-router';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import {
  addressOf,
  isShown,
  type Noun,
  type NounFamily,
  nounNamed,
  ownParameter,
  type PathValues,
  partsOf,
  titleOf,
} from '../data/nouns.ts';
import type { Resource } from '../data/product.ts';
import { Skeleton } from '../ui/states.tsx';
import type { Act } from './acts.ts';
import type { Shape } from './schema.ts';
import { Single } from './single.tsx';

const List = lazy(async () => ({ default: (await import('./list.tsx')).ResourceList }));

/** Lists bring their filters, which many people who look at one resource never need. */
const ResourceList = (props: ComponentProps<typeof List>) => (
  <Suspense fallback={<Skeleton rows={4} />}>
    <List {...props} />
  </Suspense>
);

/** A part of the page of a resource, with an address of its own. */
export interface Tab {
  readonly slug: string;
  readonly title: string;
  readonly show: (found: Found) => ReactNode;
}

export interface Found {
  readonly row: Resource;
  readonly shape: Shape;
  /** The values of the path of calls about it. */
  readonly path: PathValues;
  readonly noun: Noun;
  readonly families: readonly NounFamily[];
  readonly perform: (act: Act) => void;
  readonly acts: readonly Act[];
}

/** Tabs that are made by hand, by noun. A tab with the slug of a generated one takes its place. */
export interface Override {
  readonly tabs?: readonly Tab[];
  /** Above the facts. */
  readonly head?: (found: Found) => ReactNode;
  /** Members that the head shows, so that they are not facts again. */
  readonly inHead?: readonly string[];
  /** Calls that a tab makes better than their dialog could. */
  readonly withoutActs?: readonly string[];
  /** Acts that stand as buttons beside the menu, by their labels. */
  readonly main?: (row: Resource) => readonly string[];
}

/** Other types whose rows belong to this one: parts of it, and lists that can be narrowed to it. */
export function tabsFor({ noun, families, path, row }: Found): readonly Tab[] {
  const parts = partsOf(noun, families).filter(isShown);
  const own = ownParameter(noun.read?.path ?? '') ?? 'id';
  const partTabs = parts.map((part): Tab => {
    const above = { ...path, [part.parent?.parameter ?? 'id']: path[own] ?? '' };
    return {
      slug: part.slug,
      title: titleOf(part),
      show: () =>
        part.isOnly ? (
          <Single noun={part} above={above} />
        ) : (
          <ResourceList
            noun={part}
            families={families}
            above={above}
            create={
              part.create && (
                <CreatePart noun={part} families={families} above={path[own] ?? ''} parent={noun} />
              )
            }
          />
        ),
    };
  });
  const relatedTabs = noun.related.flatMap(({ noun: name, filter, value }): Tab[] => {
    const other = nounNamed(families, name);
    if (other === undefined) return [];
    return [
      {
        slug: other.slug,
        title: titleOf(other),
        show: () => (
          <ResourceList noun={other} families={families} fixed={{ [filter]: String(row[value] ?? '') }} />
        ),
      },
    ];
  });
  return [...partTabs, ...relatedTabs];
}

function CreatePart(props: { noun: Noun; families: readonly NounFamily[]; above: string; parent: Noun }) {
  const { noun, families, above, parent } = props;
  return (
    <Link to={`${addressOf(parent, families, above)}/${noun.slug}/new`} className="btn btn-primary">
      {noun.create?.summary}
    </Link>
  );
}

export function TabLinks({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav
      aria-label={label}
      className="mb-6 flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none]"
    >
      {tabs.map(({ slug, title }) => (
        <Link
          key={slug}
          to="."
          search={slug === '' ? {} : { tab: slug }}
          replace
          aria-current={slug === current ? 'page' : undefined}
          className={`-mb-px shrink-0 rounded-t-md border-b-2 px-3 py-2 outline-offset-[-2px] max-md:px-2 max-md:py-2.5 ${slug === current ? 'border-accent font-medium text-ink' : 'border-transparent text-muted hover:text-ink'}`}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
