import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { exemptFrom } from './exemptions.ts';
import { isTest, products, type SourceFile, shipped, sources } from './sources.ts';

/** Returns `families/account`, `surfaces/http`, `kernel`, …; files directly in `src/` assemble all layers. */
function layerOf(path: string): string {
  const [, layer = '', part = '', ...rest] = path.split('/');
  if (part === '') return 'assembly';
  const hasParts = ['families', 'surfaces'].includes(layer) && rest.length > 0;
  return hasParts ? `${layer}/${part}` : layer;
}

/** The layers that each layer may import, besides itself. */
const knows: Record<string, RegExp> = {
  contract: /^$/,
  store: /^$/,
  // Also part of the customers' command line, so it imports nothing.
  search: /^$/,
  kernel: /^(store|contract)$/,
  provider: /^kernel$/,
  money: /^(store|kernel|provider)$/,
  resources: /^(store|kernel|provider|money)$/,
  operations: /^(store|kernel)$/,
  engines: /^(store|kernel|provider)$/,
  pipeline: /^(store|kernel|provider|money)$/,
  families: /^(store|kernel|provider|money|resources|operations|mail)$/,
  mail: /^(store|kernel|provider|operations)$/,
  'portal-api': /^(store|kernel|provider|money|mail)$/,
  'surfaces/http': /^(store|kernel|provider|pipeline)$/,
  'surfaces/openapi': /^(kernel|provider|money|pipeline|search)$/,
  'surfaces/pages': /^(kernel|pipeline|surfaces\/cli-package)$/,
  'surfaces/portal':
    /^(store|kernel|provider|money|mail|pipeline|portal-api|search|surfaces\/(http|openapi|pages|iac|cli-package))$/,
  'surfaces/iac': /^(kernel|pipeline|surfaces\/openapi)$/,
  'surfaces/cli-package': /^(kernel|surfaces\/(openapi|iac))$/,
  'surfaces/mcp': /^(kernel|pipeline|search|surfaces\/http|surfaces\/openapi)$/,
  'surfaces/cli': /^(store|kernel|provider|money|portal-api|mail|surfaces\/(openapi|mcp))$/,
  assembly: /./,
};

function rulesFor(layer: string): RegExp | undefined {
  return knows[layer] ?? knows[layer.split('/')[0] ?? ''];
}

/** A family may import the ports of the engines and the files that all ports share, but no driver. */
const enginePort = /^src\/engines\/([^/]+|[^/]+\/port|reconciler\/[^/]+)\.ts$/;
/** The only file of a family that other families may import. */
const offers = /^src\/families\/[^/]+\/offers\.ts$/;
/** What a family adds to the contract: words that the kernel collects, so the file imports nothing but their form. */
const familyContract = /^src\/families\/[^/]+\/contract\.ts$/;

function mayImport(file: SourceFile, target: string): boolean {
  if (familyContract.test(file.path)) return target === 'src/contract/form.ts';
  if (file.path === 'src/contract/families.ts' && familyContract.test(target)) return true;
  const from = layerOf(file.path);
  const to = layerOf(target);
  if (from === to) return true;
  // `families/index.ts` lists all families, so it is the one file that imports each of them.
  if (from === 'families')
    return /^src\/families\/[^/]+\/(index|prices)\.ts$/.test(target) || to === 'kernel';
  if (from.startsWith('families/') && (enginePort.test(target) || offers.test(target))) return true;
  return rulesFor(from)?.test(to) ?? false;
}

/** The shortest import cycle through each node that is part of a cycle. Type imports count too. */
function circlesOf(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const circles = new Set<string>();
  for (const start of arrows.keys()) {
    const cameFrom = new Map<string, string>();
    const queue = [start];
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      for (const next of arrows.get(node) ?? []) {
        if (!cameFrom.has(next)) {
          cameFrom.set(next, node);
          queue.push(next);
        }
      }
    }
    if (!cameFrom.has(start)) continue;
    const circle = [start];
    for (let at = cameFrom.get(start)!; at !== start; at = cameFrom.get(at)!) circle.unshift(at);
    const first = circle.indexOf([...circle].sort()[0]!);
    circles.add([...circle.slice(first), ...circle.slice(0, first)].join(' -> '));
  }
  return [...circles].sort();
}

/**
 * The two folders side by side that an import connects: `vm-creation/kind.ts` imports `vms/store.ts`, so `vm-creation`
 * takes from `vms`. Undefined if it stays within a folder, or a file beside the folders is one of its ends.
 */
function foldersOf(path: string, target: string): readonly [from: string, to: string] | undefined {
  const [own, other] = [path.split('/'), target.split('/')];
  const fork = own.findIndex((part, i) => part !== other[i]);
  const isBetween = fork !== -1 && fork < own.length - 1 && fork < other.length - 1;
  return isBetween ? [own.slice(0, fork + 1).join('/'), other.slice(0, fork + 1).join('/')] : undefined;
}

const namesOf = (files: readonly SourceFile[]): string[] => files.map(({ path }) => path).sort();

describe('layers point one way', () => {
  it('every layer is known', () => {
    expect(shipped.filter(({ path }) => rulesFor(layerOf(path)) === undefined)).toEqual([]);
  });

  it('no file imports from a layer that is not below its own', () => {
    const wrong = shipped.flatMap((file) =>
      file.imports
        .filter(({ target }) => target.startsWith('src/') && !mayImport(file, target))
        .map(({ target }) => `${file.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('no files import each other in a circle', () => {
    const arrows = new Map(
      sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)] as const),
    );
    expect(circlesOf(arrows)).toEqual([]);
  });

  it('families import each other in one direction', () => {
    const arrows = new Map<string, string[]>();
    for (const { path, imports } of shipped) {
      const from = layerOf(path);
      const neighbours = imports
        .map(({ target }) => layerOf(target))
        .filter((layer) => layer.startsWith('families/') && layer !== from);
      if (from.startsWith('families/')) arrows.set(from, [...(arrows.get(from) ?? []), ...neighbours]);
    }
    expect(circlesOf(arrows)).toEqual([]);
  });

  it("within a family, the customers' command line and the portal, no folders import each other in a circle", () => {
    const within = /^(src\/families\/[^/]+|cli\/src|portal\/src)\//;
    const arrows = new Map<string, string[]>();
    for (const { path, imports } of products)
      for (const { target } of imports) {
        const [from = '', to = ''] = foldersOf(path, target) ?? [];
        if (within.test(from)) arrows.set(from, [...(arrows.get(from) ?? []), to]);
      }
    expect(circlesOf(arrows)).toEqual([]);
    const places = new Set([...arrows.keys()].map((from) => within.exec(from)?.[1]));
    expect(places).toContain('src/families/flexible-vps');
    expect(places).toContain('cli/src');
    expect(places).toContain('portal/src');
  });

  /** The folders that each folder of the command line and of the portal may import. Files beside the folders join them. */
  const folders: Record<string, RegExp> = {
    'cli/http': /^$/,
    'cli/contexts': /^http$/,
    'cli/document': /^(http|contexts)$/,
    'cli/input': /^(http|document)$/,
    'cli/output': /^document$/,
    'cli/browser': /^(http|output)$/,
    'cli/mcp': /^(http|input)$/,
    'cli/shapes': /^(document|input|output)$/,
    'cli/completion': /^(contexts|document|input|shapes)$/,
    'cli/commands': /./,
    'portal/data': /^$/,
    'portal/ui': /^data$/,
    'portal/door': /^(data|ui|styles)$/,
    'portal/form': /^(data|ui)$/,
    'portal/resource': /^(data|ui|form)$/,
    'portal/pages': /^(data|ui|door|form|resource)$/,
    'portal/app': /./,
  };
  const folderOf = (path: string): string | undefined =>
    /^(cli|portal)\/src\/([^/]+)\//.exec(path)?.slice(1).join('/');

  it("folders of the customers' command line and of the portal import only folders below their own", () => {
    const outside = products.filter(({ path }) => folderOf(path) !== undefined);
    expect(new Set(outside.map(({ path }) => folderOf(path)))).toEqual(new Set(Object.keys(folders)));
    const wrong = outside.flatMap(({ path, imports }) =>
      imports
        .map(({ target }) => folderOf(target))
        .filter((to) => to !== undefined && to !== folderOf(path))
        .filter((to) => !folders[folderOf(path) ?? '']?.test(to?.split('/')[1] ?? ''))
        .map((to) => `${path} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('the server, the command line and the portal are apart: only the server offers something to the others', () => {
    const wrong = products.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => /^(cli|portal)\//.test(target) && target.split('/')[0] !== path.split('/')[0])
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(families)('$name declares the engine ports that it imports', ({ name, ports = [] }) => {
    const imported = shipped
      .filter(({ path }) => path.startsWith(`src/families/${name}/`))
      .flatMap(({ imports }) => imports)
      .flatMap(({ target }) => /^src\/engines\/([^/]+)\/port\.ts$/.exec(target)?.[1] ?? []);
    expect(ports.map((port) => port.name).sort()).toEqual([...new Set(imported)].sort());
  });

  it('fixtures also import other families only through their offers', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('src/families/') && path.endsWith('fixture.ts'))
      .flatMap(({ path, imports }) =>
        imports
          .filter(
            ({ target }) => layerOf(target).startsWith('families/') && layerOf(target) !== layerOf(path),
          )
          .filter(({ target }) => !offers.test(target))
          .map(({ target }) => `${path} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('no shipped file imports test code', () => {
    const wrong = products.filter(({ imports }) =>
      imports.some(({ target }) => isTest({ path: target }) || ['vitest', 'fast-check'].includes(target)),
    );
    expect(namesOf(wrong)).toEqual([]);
  });

  it('the command line of customers and the portal import from the server only types, files without imports, and the search', () => {
    const isPure = ({ path, imports }: SourceFile): boolean =>
      imports.length === 0 ||
      (path.startsWith('src/search/') && imports.every(({ target }) => target.startsWith('src/search/')));
    const pure = new Set(sources.filter(isPure).map(({ path }) => path));
    const wrong = products
      .filter(({ path }) => !path.startsWith('src/'))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target, isTypeOnly }) => target.startsWith('src/') && !isTypeOnly && !pure.has(target))
          .map(({ target }) => `${path} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('the command line of customers uses no package but the one for WebSockets', () => {
    const used = sources
      .filter((file) => file.path.startsWith('cli/') && !isTest(file))
      .flatMap(({ imports }) => imports.map(({ target }) => target))
      .filter((target) => !/^(node:|cli\/|src\/)/.test(target));
    expect(used.filter((name) => name !== 'ws')).toEqual([]);
  });

  it('surfaces import types from stores, never functions', () => {
    const wrong = shipped.filter(
      (file) =>
        file.path.startsWith('src/surfaces/') &&
        file.imports.some(
          ({ target, isTypeOnly }) =>
            target.endsWith('/store.ts') && !isTypeOnly && layerOf(target) !== layerOf(file.path),
        ),
    );
    expect(namesOf(wrong)).toEqual(exemptFrom('surfacesTakeTypesFromStores'));
  });
});

describe('each file contains what belongs there', () => {
  it('SQL is written in stores only', () => {
    const sql = /\bsql(<[^`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto|query)\(/;
    const wrong = shipped.filter(
      ({ path, text }) => !path.endsWith('/store.ts') && !path.startsWith('src/store/') && sql.test(text),
    );
    expect(namesOf(wrong)).toEqual(exemptFrom('sqlInStoresOnly'));
  });

  it('permissions are checked by the pipeline, not by handlers', () => {
    const check = /\.decide\(|\b(allows|holds|roleAllows|decide)\(/;
    const wrong = shipped.filter(({ path, text }) => path.startsWith('src/families/') && check.test(text));
    expect(namesOf(wrong)).toEqual(exemptFrom('permissionChecksInPipelineOnly'));
  });

  it('the status of a row has the type of its lifecycle, so no file casts it', () => {
    const cast = /\.status as (?!const\b|[a-z_]+['`])|\bresource\.id \?\? ''/;
    const wrong = shipped.filter(({ path, text }) => path.startsWith('src/families/') && cast.test(text));
    expect(namesOf(wrong)).toEqual([]);
  });

  const endpoints = families.flatMap((family) => family.endpoints);
  const nounIn = ({ permission }: { readonly permission: string }): string => permission.split(':')[1] ?? '';
  const nouns = new Set(endpoints.flatMap((endpoint) => [...endpoint.path.split('/'), nounIn(endpoint)]));
  const singular = (noun: string): string =>
    noun.endsWith('sses') ? noun.slice(0, -2) : noun.replace(/ies$/, 'y').replace(/s$/, '');

  it.each(endpoints)('$id is written in the folder of its resource, or of what is done to it', (endpoint) => {
    const [, family, , ...segments] = endpoint.path.split('/');
    const noun = nounIn(endpoint);
    // The folder is named after a path segment or the noun of the permission; `vm-power` may be in `power`.
    const names = [...segments, noun, noun.replace(/^[a-z]+-/, '')];
    // An act of the portal that makes the same change as an endpoint has the same id.
    const homes = shipped
      .filter(({ path }) => !path.startsWith('src/surfaces/portal/acts/'))
      .filter(({ text }) => new RegExp(`\\bid: '${endpoint.id}'[, ]`).test(text));
    expect([endpoint.id, homes.length]).toEqual([endpoint.id, 1]);
    const [, , folder, resource] = homes[0]?.path.split('/') ?? [];
    expect([endpoint.id, folder]).toEqual([endpoint.id, family]);
    // What is done to machines may be in `vm-creation`, but not in `vm-snapshots`, which is another resource.
    const isDone = names.some((name) => resource?.startsWith(`${singular(name)}-`));
    expect(isDone && !nouns.has(resource ?? '') ? [...names, resource] : names).toContain(resource);
  });
});

/** What opens a connection, by the module that offers it. */
const openers: Readonly<Record<string, readonly string[]>> = {
  'node:http': ['request', 'get'],
  'node:https': ['request', 'get'],
  'node:http2': ['connect'],
  'node:net': ['connect', 'createConnection', 'Socket'],
  'node:tls': ['connect'],
  ws: ['WebSocket'],
  undici: ['request', 'fetch', 'stream', 'connect', 'Agent', 'Client', 'Pool'],
};

/** The names that a file imports as values, with the module each is from: `request as requestTls` is `request`. */
function valuesOf({ text }: SourceFile): (readonly [module: string, name: string])[] {
  return [...text.matchAll(/^import (?!type\b)\{([^}]*)\} from '([^']+)'/gm)].flatMap(
    ([, names = '', module = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '))
        .map((name) => [module, name.split(' ')[0] ?? ''] as const),
  );
}

/** Calls within comments and texts open nothing. */
function opensConnections(file: SourceFile): boolean {
  const { text } = file;
  const isImported = valuesOf(file).some(([module, name]) => openers[module]?.includes(name) === true);
  const fetches = /^(?! *\*)[^'"`/]*(?<![\w.#])fetch\(/m.test(text) && !/\bfunction fetch\(/.test(text);
  const mails = /\bcreateTransport\(/.test(text) && !/streamTransport: true/.test(text);
  return isImported || fetches || mails;
}

describe('connections to other servers', () => {
  it('have a minimum rate or a total time: the file that opens one uses the transfer limits', () => {
    const opening = shipped.filter(opensConnections);
    const wrong = opening.filter(
      ({ imports }) =>
        !imports.some(({ target, isTypeOnly }) => target === 'src/kernel/net/transfer.ts' && !isTypeOnly),
    );
    expect(namesOf(wrong)).toEqual(exemptFrom('connectionsWithLimits'));
    expect(opening.length).toBeGreaterThan(wrong.length);
  });
});

describe('files', () => {
  it('are small', () => {
    const long = sources.filter((file) => file.lines > (isTest(file) ? 400 : 300));
    expect(namesOf(long)).toEqual(exemptFrom('fileSize'));
  });

  it('are named after their content', () => {
    const vague = /(^|[/.-])(utils?|helpers?|common|manager|misc)([/.-]|$)/i;
    expect(namesOf(sources.filter(({ path }) => vague.test(path)))).toEqual([]);
  });
});
