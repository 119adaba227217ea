/**
 * The provider's file after schema validation and before the semantic checks. A schema error must not hide semantic
 * faults, so the checks run on the valid ("sound") entries; names of invalid entries still count as defined.
 */
import type { TSchema } from '../kernel/schema.ts';
import type { ProviderFile } from './schema.ts';

export interface Entry<T> {
  readonly path: string;
  readonly value: T;
}

type Catalogue = ProviderFile['catalogue'];

interface Lists {
  products: Catalogue['products'][number];
  locations: Catalogue['locations'][number];
  plans: Catalogue['plans'][number];
  images: Catalogue['images'][number];
  isos: Catalogue['isos'][number];
  volume_tiers: Catalogue['volume_tiers'][number];
  'kubernetes/tiers': Catalogue['kubernetes']['tiers'][number];
  'kubernetes/versions': Catalogue['kubernetes']['versions'][number];
  'object_storage/regions': Catalogue['object_storage']['regions'][number];
  'dedicated/operating_systems': Catalogue['dedicated']['operating_systems'][number];
  'dedicated/products': Catalogue['dedicated']['products'][number];
  'datacenter/sites': Catalogue['datacenter']['sites'][number];
  'monitoring/probe_regions': Catalogue['monitoring']['probe_regions'][number];
  address_pools: Catalogue['address_pools'][number];
  prices: Catalogue['prices'][number];
  limits: Catalogue['limits'][number];
}

export type ListName = keyof Lists;

export class Draft {
  readonly file: ProviderFile;
  private readonly broken: readonly string[];

  /** `broken` contains the paths with schema errors. `file` matches its type everywhere else. */
  constructor(file: unknown, broken: readonly string[]) {
    this.file = file as ProviderFile;
    this.broken = broken;
  }

  isSound(path: string): boolean {
    return !this.broken.some((at) => at === path || at.startsWith(`${path}/`) || path.startsWith(`${at}/`));
  }

  /** The valid entries of a catalogue list, each with its path. */
  entries<N extends ListName>(list: N): Entry<Lists[N]>[] {
    return (this.list(list) ?? [])
      .map((value, index) => ({ path: `/catalogue/${list}/${index}`, value: value as Lists[N] }))
      .filter(({ path }) => this.isSound(path));
  }

  /**
   * All names in a list, including those of invalid entries, so that a reference to an invalid entry is not
   * reported as a second fault. Returns `null` if the value is not a list; references to it then cannot be
   * checked.
   */
  names(list: ListName, member = 'slug'): Set<string> | null {
    const names = this.list(list)?.map((value) => (isRecord(value) ? value[member] : undefined));
    return names ? new Set(names.filter((name) => typeof name === 'string')) : null;
  }

  private list(name: ListName): unknown[] | null {
    const list = valueAt(this.file, ['catalogue', ...name.split('/')]);
    return Array.isArray(list) ? list : null;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(value: unknown, segments: readonly string[]): unknown {
  let at = value;
  for (const name of segments) {
    if (Array.isArray(at)) at = at[Number(name)];
    else at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

interface JsonSchema {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

/** Sets members that were left out to the default of their schema, at every depth. */
export function fillDefaults(schema: TSchema, value: unknown): unknown {
  const { properties, items, anyOf, ...rest } = schema as JsonSchema;
  if (value === undefined && 'default' in rest) return fillDefaults(schema, structuredClone(rest.default));
  if (anyOf?.[0] !== undefined) return value === null ? null : fillDefaults(anyOf[0], value);
  if (items !== undefined && Array.isArray(value)) return value.map((item) => fillDefaults(items, item));
  if (properties === undefined || !isRecord(value)) return value;
  const filled = new Map(Object.entries(value));
  for (const [name, member] of Object.entries(properties)) {
    const content = fillDefaults(member, filled.get(name));
    if (content !== undefined) filled.set(name, content);
  }
  return Object.fromEntries(filled);
}

/** The schema at a path; fault messages use it to list the known members. */
export function shapeAt(schema: TSchema, segments: readonly string[]): JsonSchema {
  const { properties, items, anyOf } = schema as JsonSchema;
  const [name, ...rest] = segments;
  if (anyOf?.[0] !== undefined) return shapeAt(anyOf[0], segments);
  if (name === undefined) return schema as JsonSchema;
  const inner = properties && Object.hasOwn(properties, name) ? properties[name] : items;
  return inner === undefined ? {} : shapeAt(inner, rest);
}
