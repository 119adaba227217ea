/** Words that hold a sentence together or say how something is meant. They name neither a thing nor an act. */

const listed = (...lines: readonly string[]): readonly string[] => lines.join(' ').split(' ');

/** Phrases of the tables match across these: "power the server off" is "power off". */
export const articles = listed(
  'a an the my our your his her their its this that these those some any please just really actually bitte mal',
  'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner meines unser unsere',
  'unseren unserem unserer dein deine deinen ihr ihre ihren dieser diese dieses diesen diesem doch denn ja eigentlich',
);

/** A question that begins with one of these asks: in "which servers are stopped", "stopped" is a state and no wish. */
export const askingWords = listed(
  'which what who whose when why is are was were does did has have where',
  'welche welcher welches welchen wer wann warum wieso wo was ist sind',
);

/** Of two words, the first of which alone does not ask: "how many servers", but "how do I make a server". */
export const askingPairs: readonly string[] = [
  'how many',
  'how much',
  'how long',
  'how big',
  'how large',
  'wie viel',
  'wie viele',
  'wie lange',
  'wie groß',
  'wie hoch',
];

/** A phrase of the tables may contain these and the asking words; alone they find nothing. */
export const silentWords = listed(
  'of for to in on at by with from and or be been it i me we us you he she they them do',
  'can could may might would should will shall must had there here so as if than then not no how want need let use used',
  'using only also per am get gets got one about into onto via over while after before again now today still yet too very',
  'much many more most like way something anything someone somebody id thing things called named own up out off such',
  'because but both between other another don doesn didn isn aren won cannot ve ll re im whether without same',
  'und oder waren sein wird werden wurde kann kannst konnen konnte muss musste mochte will wollen wollte soll sollen',
  'sollte darf ich du er sie es wir mir mich dir uns ihm ihnen man wie wieviel viel viele im in am an auf aus bei mit nach',
  'von vom vor zu zum zur uber unter fur gegen ohne um durch als wenn dass ob nicht kein keine keinen nur noch schon',
  'jetzt gerade heute hier dort da so auch mehr sehr alle habe hat haben hatte gibt etwas jemand weil aber sich bin hab',
);

/** What comes after these words is not what the question is about: "a group for my nodes". */
export const purposeWords = listed('for für');

/** Words in resource names that do not tell resources apart. */
export const vagueWords = listed('entry access');

/** Whose words somebody uses. They are silent, too: "azure vnet" is a bare name. */
export const providers = listed(
  'aws amazon azure microsoft gcp google hetzner digital ocean digitalocean linode vultr ovh ovhcloud ionos',
  'scaleway upcloud exoscale openstack vmware proxmox cloud',
);

/** A machine of which somebody says this does not answer. */
export const hungWords = listed('hung hang hangs frozen freeze stuck unresponsive hängt eingefroren');

/** Somebody who says these words accepts that a guest cannot save its work. */
export const forceWords = [
  ...listed('force forced forcefully forcibly hard immediately instantly once plug hart sofort erzwingen'),
  ...hungWords,
];
