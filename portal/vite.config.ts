import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const inFolder = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: inFolder('.'),
  base: '/portal/',
  cacheDir: inFolder('../node_modules/.vite/portal'),
  plugins: [react(), tailwindcss()],
  build: {
    // The content security policy allows no inline content and no `data:` scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { app: inFolder('index.html'), door: inFolder('door.html') },
      checks: { pluginTimings: false },
    },
  },
});
