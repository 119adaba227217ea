import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const inFolder = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

type Context = Pick<Rolldown.PluginContext, 'getModuleInfo'>;

/** Everything that a module loads at once, without what it loads later. */
function loadedWith(entry: string, context: Context): ReadonlySet<string> {
  const found = new Set([inFolder(entry)]);
  for (const id of found)
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** Parts of most pages: they are loaded with the first one. Together they are smaller than each for itself. */
const OF_MANY = ['src/ui/field.tsx', 'src/ui/near.ts', 'src/ui/rows.tsx'];
/** What it takes from elsewhere, most other pages take, too. */
const HOME = 'src/pages/home/';

/**
 * What an entry loads at once is in one file, and what both entries load in another. Left alone, the bundler makes 25
 * files of it, and over HTTP/1.1 a browser fetches six at a time.
 */
function chunks(): Rolldown.CodeSplittingGroup[] {
  const entries = { frame: 'src/app/main.tsx', front: 'src/door/main.tsx' };
  const loaded = new Map<string, ReadonlySet<string>>();
  const users = (id: string, context: Context): string[] => {
    for (const [name, entry] of Object.entries(entries))
      if (!loaded.has(name)) loaded.set(name, loadedWith(entry, context));
    return Object.keys(entries).filter((name) => loaded.get(name)?.has(id));
  };
  const isOfMany = (id: string, context: Context): boolean => {
    if (!loaded.has(HOME)) loaded.set(HOME, loadedWith(`${HOME}home.tsx`, context));
    const isOfHome = loaded.get(HOME)?.has(id) === true && !id.startsWith(inFolder(HOME));
    return isOfHome || OF_MANY.map(inFolder).includes(id);
  };
  const isShared = (id: string, context: Context): boolean => {
    const found = users(id, context);
    return found.length > 1 || (found[0] === 'front' && isOfMany(id, context));
  };
  const isOwn = (id: string): boolean =>
    id.endsWith('.css') || Object.values(entries).map(inFolder).includes(id);
  return [
    { name: (id, context) => (isShared(id, context) ? 'shared' : null), priority: 2 },
    {
      name: (id, context) =>
        isOwn(id) ? null : (users(id, context)[0] ?? (isOfMany(id, context) ? 'frame' : null)),
      priority: 1,
    },
  ];
}

/** Nothing is shown before the style is there, so the browser should ask for it first. */
const styleFirst: Plugin = {
  name: 'style-first',
  transformIndexHtml: {
    order: 'post',
    handler(page) {
      const styles = page.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
      const rest = styles.reduce((text, style) => text.replace(style, ''), page);
      return rest.replace(/ *<script /, (script) => styles.join('') + script);
    },
  },
};

/**
 * The terminal writes styles as text, into elements and attributes, which the content security policy forbids. Here it
 * writes attributes through the style object, and elements become those of `pages/products/vm/terminal-sheet.ts`.
 */
const terminalStyles: Plugin = {
  name: 'terminal-styles',
  transform: {
    filter: { id: /@xterm\/xterm\/lib\/xterm\.mjs$/ },
    handler(code) {
      const elements = code.split('createElement("style")');
      const attributes = code.match(/\b\w+\.setAttribute\("style",/g) ?? [];
      if (elements.length !== 4 || attributes.length !== 1)
        this.error(
          'The terminal writes styles in other places than before. Look at each, then change the numbers.',
        );
      return elements
        .join('createElement("terminal-sheet")')
        .replace(/\b(\w+)\.setAttribute\("style",/, 'Reflect.set($1.style,"cssText",');
    },
  },
};

export default defineConfig({
  root: inFolder('.'),
  base: '/portal/',
  cacheDir: inFolder('../node_modules/.vite/portal'),
  plugins: [react(), tailwindcss(), styleFirst, terminalStyles],
  build: {
    // The content security policy allows no inline content and no `data:` scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { app: inFolder('index.html'), door: inFolder('door.html') },
      output: { codeSplitting: { groups: chunks() } },
      checks: { pluginTimings: false },
    },
  },
});
