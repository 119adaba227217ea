/** Splits texts into comparable words. The same steps run over the document, the tables and the question. */

/** Words that only hold a sentence together. Phrases of the tables match across them. */
const ARTICLES = new Set(
  (
    'a an the my our your his her their its this that these those some any please just really actually bitte mal ' +
    'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner meines unser unsere ' +
    'unseren unserem unserer dein deine deinen ihr ihre ihren dieser diese dieses diesen diesem doch denn ja eigentlich'
  ).split(' '),
);

/** Words that name neither a thing nor an act. A phrase of the tables may contain them; alone they find nothing. */
const SILENT = new Set(
  (
    'of for to in on at by with from and or is are be was were been it i me we us you he she they them do does did ' +
    'can could may might would should will shall must have has had there here so as if than then not no what which ' +
    'who how when where why want need let use used using only also per am get gets got one about into onto via over ' +
    'when while after before again now today still yet too very much many more most like way something anything ' +
    'someone somebody id thing things called named own up out off such because but both between other another ' +
    'don doesn didn isn aren won cannot ve ll re im whether without same ' +
    'und oder ist sind war waren sein wird werden wurde kann kannst konnen konnte muss musste mochte will wollen ' +
    'wollte soll sollen sollte darf ich du er sie es wir mir mich dir uns ihm ihnen man was wer wie wo wann warum ' +
    'wieso welche welcher welches welchen wieviel viel viele im in am an auf aus bei mit nach von vom vor zu zum zur ' +
    'uber unter fur gegen ohne um durch als wenn dass ob nicht kein keine keinen nur noch schon jetzt gerade heute ' +
    'hier dort da so auch mehr sehr alle habe hat haben hatte gibt etwas jemand weil aber sich bin hab'
  ).split(' '),
);

/** Letters with marks lose them, and the usual ways to write umlauts without them become the same letters. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  // Most texts have no such letters, and then need no work.
  if (!/[^ -~\s]/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss');
}

/** Endings that say nothing about the meaning, English before German; the rest keeps at least three letters. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(ss|sh|ch|x)es$/, '$1'],
  [/ie[sd]$/, 'y'],
  [/(?<=\w{2})([^su])s$/, '$1'],
  [/(?<=\w{3})(?:ing|ed)$/, ''],
  [/(?<=\w{3})(?:en|em|es|e|n)$/, ''],
];

/** Compares "machines" with "machine", "stopped" with "stop", "Festplatten" with "Festplatte", "fuer" with "für". */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const root = word.length <= 3 || /\d/.test(word) ? (PLURALS[word] ?? word) : cut(word);
  if (stems.size >= MOST_STEMS) stems.clear();
  stems.set(word, root);
  return root;
}

/** Of short words only these, because most end in an s of their own: DNS, VPS, AWS. */
const PLURALS: Readonly<Record<string, string>> = { vms: 'vm', ips: 'ip', ids: 'id', cds: 'cd', oss: 'os' };

/** The same words come again and again. */
const stems = new Map<string, string>();
const MOST_STEMS = 20_000;

function cut(word: string): string {
  let root = word;
  for (const [ending, rest] of ENDINGS) if (root.length > 3) root = root.replace(ending, rest);
  return root.replaceAll(/(?<=.)([aou])e/g, '$1').replaceAll(/([b-df-hj-np-tv-z])\1/g, '$1');
}

/** `createVmSnapshot` → create Vm Snapshot. Names as "CloudWatch" are split only where they are unknown. */
export const parted = (text: string): string => text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2');

/** `flexible-vps:vm-power:write` → flexible vps vm power write. */
export const split = (text: string): string[] =>
  folded(text)
    .replaceAll(/['’]s\b/g, '')
    .replaceAll(/\bback(?:s|ed|ing)? up\b/g, 'backup')
    .match(/[a-z0-9]+/g) ?? [];

const silentStems = new Set([...SILENT].map(stem));
const articleStems = new Set([...ARTICLES].map(stem));

/** All words in their order, each as its stem: phrases are compared in this form. */
export const stemsOf = (text: string): string[] => split(text).map(stem);

export const isArticle = (word: string): boolean => articleStems.has(word);
export const isSilent = (word: string): boolean => silentStems.has(word) || articleStems.has(word);

/** The words that mean something, each as its stem. */
export const wordsOf = (text: string): string[] => stemsOf(text).filter((word) => !isSilent(word));
