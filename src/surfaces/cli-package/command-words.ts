/**
 * Derives the words of a command from an operation: `createVmSnapshot` of the resource `snapshot` is
 * `flexible-vps snapshot create`. The verb is the first word of the operation id; an action also keeps the words that
 * are not already in the names of its family, its resource and the parent: `resetVmPassword` is `vm reset-password`.
 */
export interface Named {
  readonly id: string;
  readonly path: string;
  readonly resource: string;
  readonly parent?: string | undefined;
  readonly role: string;
}

export const kebab = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[_ ]/g, '-')
    .toLowerCase();

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

export const familyOf = (path: string): string => path.split('/')[1] ?? '';

/** The resource without the words that its family has already: `vps_location` of `flexible-vps` is `location`. */
function nounOf({ path, resource }: Named): string {
  const family = familyOf(path).split('-');
  const words = kebab(resource).split('-');
  while (words.length > 1 && family.includes(words[0] ?? '')) words.shift();
  return words.join('-');
}

/** Verbs that people try first, for operations whose own verb is another: `interface create` is `interface attach`. */
const usualVerbs: Readonly<Record<string, string>> = {
  list: 'list',
  read: 'get',
  create: 'create',
  update: 'update',
  declare: 'set',
  delete: 'delete',
};

export function verbOf({ id, path, resource, parent = '', role }: Named): string {
  const [verb = '', ...rest] = kebab(id).split('-');
  if (role !== 'action') return verb;
  const known = new Set(
    [familyOf(path), kebab(resource), kebab(parent)].flatMap((name) => name.split('-')).map(singular),
  );
  return [verb, ...rest.filter((word) => !known.has(singular(word)))].join('-');
}

/** The last fixed part of the path of a list: `/flexible-vps/v1/ssh-keys` also gives `ssh-keys` for `ssh-key`. */
function pluralOf(operations: readonly Named[]): string | undefined {
  const list = operations.find(({ role }) => role === 'list');
  return list?.path
    .split('/')
    .filter((part) => !part.startsWith('{'))
    .at(-1);
}

/** The command line has commands of its own with these words; the operations need the family before them. */
export const builtInWords: ReadonlySet<string> = new Set(['estimate']);

export interface Words {
  readonly family: string;
  readonly resource: string;
  readonly verb: string;
  /** Other words that lead to the same command. */
  readonly otherResource?: string | undefined;
  readonly otherVerb?: string | undefined;
}

/** The words of each operation, by its id. No two operations have the same words. */
export function wordsOf(operations: readonly Named[]): ReadonlyMap<string, Words> {
  const words = new Map<string, Words>();
  const groups = new Map<string, Named[]>();
  for (const operation of operations) {
    const name = `${familyOf(operation.path)} ${nounOf(operation)}`;
    groups.set(name, [...(groups.get(name) ?? []), operation]);
  }
  for (const group of groups.values()) {
    const verbs = group.map(verbOf);
    const otherResource = pluralOf(group);
    const taken = new Set(verbs);
    group.forEach((operation, i) => {
      const own = verbs[i] ?? '';
      const isUnique = verbs.filter((verb) => verb === own).length === 1;
      const usual = usualVerbs[operation.role];
      const isFree = usual !== undefined && !taken.has(usual);
      if (isFree) taken.add(usual);
      words.set(operation.id, {
        family: familyOf(operation.path),
        resource: nounOf(operation),
        verb: isUnique ? own : kebab(operation.id),
        otherResource,
        otherVerb: isFree ? usual : undefined,
      });
    });
  }
  return words;
}
