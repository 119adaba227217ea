// Installs packages that Debian's stable release offers only in its backports. apt uses a copy of the
// machine's own sources with the backports suite added, in a temporary folder, so the machine's package
// sources do not change.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIST = '/etc/apt/sources.list';
const PARTS = '/etc/apt/sources.list.d';

/** Calls `action` with the `apt-get` options that add the backports. */
export function withBackports(action) {
  const codename = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  const folder = mkdtempSync(join(tmpdir(), 'hostplane-apt-'));
  // The user that apt downloads as must be able to enter the folder.
  chmodSync(folder, 0o755);
  for (const name of ['parts', 'lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const { name, text } of readSources())
    writeFileSync(join(folder, 'parts', name), addSuite(name, text, codename));
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': join(folder, 'parts'),
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
  };
  try {
    return action([
      ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
      ...['-t', `${codename}-backports`],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readSources() {
  const parts = existsSync(PARTS) ? readdirSync(PARTS).filter((name) => /\.(list|sources)$/.test(name)) : [];
  const files = [
    ...(existsSync(LIST) ? [[LIST, 'main.list']] : []),
    ...parts.map((name) => [join(PARTS, name), name]),
  ];
  return files.map(([path, name]) => ({ name, text: readFileSync(path, 'utf8') }));
}

/** Adds the backports suite to every source that offers this Debian release. */
export function addSuite(name, text, codename) {
  return name.endsWith('.sources') ? addToStanzas(text, codename) : addToLines(text, codename);
}

function addToStanzas(text, codename) {
  const suites = new RegExp(`^(Suites:.*\\s${codename})(?=\\s|$)`, 'gim');
  return text.replace(suites, `$1 ${codename}-backports`);
}

function addToLines(text, codename) {
  const line = new RegExp(`^(deb\\s+(?:\\[[^\\]]*\\]\\s+)?\\S+\\s+)${codename}(\\s+.*)$`, 'gm');
  return text.replace(line, (whole, before, after) => `${whole}\n${before}${codename}-backports${after}`);
}
