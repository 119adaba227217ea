// Packages that Debian has for its stable version only among the backports. They are taken through a copy of the
// machine's own sources with that one suite more, in a folder of its own: the machine's list of packages stays as it is.
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

/** Calls `action` with what `apt-get` has to be told to see the backports as well. */
export function withBackports(action) {
  const codename = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  const folder = mkdtempSync(join(tmpdir(), 'hostplane-apt-'));
  // The user that apt downloads as has to get in.
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

/** Where Debian itself comes from its backports come from as well. */
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
