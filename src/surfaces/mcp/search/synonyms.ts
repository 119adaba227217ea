import { phraseOf } from './words.ts';

/**
 * What people say, and the words of the API for it. The left side is a word or a phrase, in any form; the right side is
 * added to the question. An entry says something about words, never about one operation, so that it also serves
 * operations that are added later.
 */
const table: readonly (readonly [string, string])[] = [
  // Things.
  ['server|box|machine|instance|virtual machine|virtual server|vps|droplet|node|guest|computer|vm', 'vm'],
  ['nic|network card|network adapter|network interface|ethernet|mac address|mac', 'interface'],
  ['vpc|vlan|subnet|internal network|internal subnet|private lan|lan|backend network', 'private network'],
  [
    'network is|networks is|connected to|internal ip|private ip|private address|internal address',
    'interface private',
  ],
  [
    'floating ip|elastic ip|public address|reserved address|static ip|public ip|reserved ip',
    'public ip reserved',
  ],
  ['address', 'ip'],
  ['ip|ipv4|ipv6', 'address'],
  ['windows|linux|debian|ubuntu', 'image'],
  ['template|distribution|distro|operating system|os|golden image|qcow2|disk image|imported disk', 'image'],
  ['cd|dvd|cd image|optical|disc|installer|installation medium|bootable medium', 'iso'],
  ['block storage|block device|data disk|extra disk|additional disk|second disk|attached disk', 'volume'],
  [
    'security group|packet filter|open port|close port|allow ssh|allow http|inbound|outbound',
    'firewall rule',
  ],
  ['every night|nightly|automatic backup|scheduled backup|next backup', 'backup policy'],
  ['restore point|saved state|point in time|checkpoint|copy of the disk', 'snapshot'],
  ['ssh key|public key|login key|laptop key|id ed25519|id rsa|pub|ssh public key', 'ssh key'],
  ['token|api token|access token|credential|api credential', 'api key'],
  [
    'anti affinity|affinity|spread|spread group|different host|separate host|host separation|share hardware',
    'placement group',
  ],
  ['same hardware|same host|fail together|never run on|apart from each other|not share', 'placement group'],
  ['callback|hook|callback url|notify|slack|unsubscribe|are sent|post to', 'webhook'],
  ['job|task|background work|background job|long running', 'operation'],
  ['quota|cap|how many|at most|maximum number|allowance|ceiling|maximum', 'limit'],
  ['where can|where could|region|data center|datacenter|site|city|country|geography|place', 'location'],
  ['size|flavor|flavour|instance type|tier|how large can|how big can|configuration choice|package', 'plan'],
  ['user|people|person|team|colleague|admin|who has access|employee|staff|coworker|teammate', 'member role'],
  [
    'audit trail|security log|compliance|change history|who changed|who deleted|who did|who stopped|who created|who restarted|who removed|culprit',
    'audit entry log',
  ],
  ['activity|notification|what happened|happen|feed|recent activity|timeline', 'event'],
  [
    'whitelist|allowed source|ip filter|ip restriction|office address|call from|may use the api|ip range',
    'ip allowlist',
  ],
  ['company|billing country|time zone|timezone|currency|my account|account settings', 'account profile'],
  [
    'inventory|everything i own|thing|everything|asset|across all products|complete list|all that i have',
    'resource all',
  ],
  ['tag|labelled|labeled|annotation', 'label'],
  ['ram', 'memory'],
  ['last used', 'api key'],
  [
    'cpu|load|graph|overload|utilisation|utilization|idle|performance|cpu usage|statistic|traffic|throughput|disk io|iops|bandwidth|busy|monitor',
    'metric',
  ],
  [
    'vnc|kvm|remote screen|screen|keyboard|terminal|in the browser|console access|open console',
    'console open session',
  ],
  [
    'boot message|kernel output|serial log|kernel log|print|dmesg|kernel panic|boot log|output of a machine|console output',
    'console log',
  ],
  [
    'root password|login password|forgot|administrator password|locked out|new password|cannot log in',
    'vm password reset',
  ],
  [
    'repair system|recovery|recovery system|live system|broken filesystem|does not boot|repair|unbootable|fsck',
    'rescue',
  ],
  ['kubectl|k8s|cluster', 'kubernetes cluster'],
  ['dns name|ptr|rdns', 'reverse dns record'],
  ['capacity|availability|cheapest', 'plan availability'],
  ['route|gateway|address range|cidr', 'network'],
  ['fingerprint', 'ssh key'],
  ['block storage|data disk|extra disk|additional disk', 'volume'],
  ['security group|packet filter|port|incoming|outgoing|inbound|outbound', 'firewall'],
  // Money.
  [
    'bill|invoice|charge so far|spent|spend so far|cost breakdown|most expensive|so far|costs by|cost by|this month',
    'usage cost',
  ],
  [
    'cost alert|spending cap|spending limit|spend|money is used up|monthly spending|spend over|cost limit',
    'budget',
  ],
  ['cap my|warn me|raise the|limit my|block new|let me spend|alert me|do not exceed|don t let', 'set budget'],
  [
    'price list|tariff|rate card|cost per hour|per month|how much does|charge for|do you charge|rate',
    'price list',
  ],
  [
    'quote|calculate|would cost|expensive would|before ordering|what would|how much would|what will|cost of three',
    'estimate cost price',
  ],
  // What is done.
  [
    'i need a|spin up|launch|order|make|set up|new|add|build|provision|clone|upload|register|store|import|turn my|deploy|generate|bring up|start a new|buy|get me',
    'create',
  ],
  [
    'destroy|terminate|remove|get rid|tear down|drop|throw away|kill|erase|forget|clean up|no longer|purge|discard|trash|decommission',
    'delete',
  ],
  ['leaked|disable it|invalidate|block a key|former employee|compromised', 'revoke delete'],
  ['show|display|give me|see|overview|all|every|which|available|exist|find|is there|are set|what', 'list'],
  [
    'other key|detail|look up|lookup|show detail|show one|inspect|by id|is the|is my|is this|how big|how large|status of|state of|one',
    'get',
  ],
  ['rename|edit|modify|protect|change|add a tag|add a label|add a route|adjust|protection', 'update change'],
  [
    'reboot|power off|power on|turn on|turn off|turn the|shut down|shutdown|hard reset|power cycle|switch off|switch on|reset a hung|start the|boot the|stop the|restart',
    'start stop restart power action',
  ],
  [
    'at once|several|together|a group of|many|every machine|all staging|all test|all servers|all my|fleet|in bulk',
    'bulk many',
  ],
  [
    'bigger|larger|smaller|scale|upgrade to|grow|more ram|more memory|more disk|shrink|double the|enlarge|more cpu|downsize|increase|expand',
    'resize',
  ],
  ['reinstall|rebuild|wipe|start over|fresh|factory|reimage|reprovision|from scratch', 'redeploy'],
  ['roll back|rollback|revert|bring back|back to|undo a bad|go back|recover from', 'restore disk'],
  [
    'save the state|freeze|before i upgrade|before a change|before upgrading|before the change',
    'snapshot take create',
  ],
  ['open port|open a port|open the port|allow ssh|allow http|allow connection|let in', 'firewall rule add'],
  ['close port|close a port|close the port', 'firewall rule remove delete'],
  ['rules of|ports does', 'get'],
  ['stop applying|no longer apply', 'detach attachment'],
  ['apply|in front of', 'attach'],
  ['assign|give my|plug|join|connect|hook up|into the|into a', 'attach'],
  [
    'unplug|unassign|disconnect|take the public|take off|out of the|off the|free the|from the|from a|release',
    'detach',
  ],
  ['abort|withdraw|changed my mind|stop a running|call off|never mind|interrupt', 'cancel'],
  ['retry|resend|replay|once more|send again|deliver again', 'redeliver again'],
  ['stream|follow|live', 'stream event'],
  ['progress|how far|finished|is the task|completed|done yet|has the|why did|failed', 'operation get'],
  ['running job|going on|pending|history of|right now|in flight', 'operation list'],
  ['refused|blocked|turned away|403|denied|forbidden|permission denied|rejected', 'denial'],
  [
    'who am i|logged in|credential work|key i am using|this api key|this key|which address am i|i use right now|am i using|my key|my own key',
    'whoami calling key',
  ],
  ['endpoint|can i call|call the api|reach|what can i do', 'endpoint call list'],
  ['rotate', 'rotate secret'],
  ['delivery log|attempt|receive|gets nothing|get nothing|responses|response my', 'delivery list'],
  ['up|running', 'status'],
];

interface Entry {
  readonly said: string;
  readonly means: string;
}

/** The longest phrases first, so that "public ip" is taken before "ip". */
export const synonyms: readonly Entry[] = table
  .flatMap(([said, means]) => said.split('|').map((each) => ({ said: phraseOf(each), means })))
  .sort((a, b) => b.said.length - a.said.length);
