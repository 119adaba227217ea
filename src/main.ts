import { readDefaultText } from './kernel/provider/default.ts';
import { loadProvider } from './kernel/provider/load.ts';
import { serve } from './serve.ts';

const loaded = loadProvider({ env: process.env, defaultText: readDefaultText() });
if (!loaded.ok) {
  console.error(loaded.faults);
  process.exit(1);
}
process.exitCode = await serve(loaded.config, { out: (t) => void process.stdout.write(t), error: (t) => void process.stderr.write(t) });
