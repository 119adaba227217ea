import { readDefaultText } from '../src/kernel/provider/default.ts';
import { loadProvider } from '../src/kernel/provider/load.ts';
import { serve } from '../src/serve.ts';

const loaded = loadProvider({ env: process.env, defaultText: readDefaultText() });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
process.exitCode = await serve(loaded.config, {
  out: (t) => process.stdout.write(t),
  error: (t) => process.stderr.write(t),
});
