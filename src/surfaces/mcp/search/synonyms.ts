/**
 * What people say, and the words of the API for it. The left side is a word or a phrase; the right side is added to the
 * question. It says something about words, never about one operation, so it also serves operations that are added later.
 */
const table: readonly (readonly [string, string])[] = [
  // Things.
  [
    'server|servers|box|boxes|machine|machines|instance|instances|virtual machine|virtual server|virtual servers|vps|droplet|node|nodes|host',
    'vm',
  ],
  ['nic|nics|network card|network cards|network adapter|network interface', 'interface'],
  ['vpc|vpcs|vlan|vlans|subnet|subnets|internal network|internal subnet|private lan', 'private network'],
  ['floating ip|elastic ip|public address|reserved address|static ip', 'public ip reserved'],
  ['address|addresses', 'ip'],
  ['ip|ipv4|ipv6', 'address'],
  [
    'template|templates|distribution|distributions|distro|operating system|operating systems|os|golden image|iso|qcow2|disk image',
    'image',
  ],
  [
    'restore point|restore points|saved state|saved states|point in time|point in time copies|checkpoint',
    'snapshot',
  ],
  ['backup|back up', 'snapshot'],
  [
    'ssh key|ssh keys|public key|public keys|login key|login keys|laptop key|id ed25519|id rsa|pub',
    'ssh key',
  ],
  ['token|tokens|api token|api tokens|access token|credential|credentials', 'api key'],
  [
    'anti affinity|affinity|spread|spread group|different hosts|host separation|share hardware|fail together',
    'placement group',
  ],
  ['callback|callbacks|hook|hooks|callback url|notify|slack|unsubscribe|are sent', 'webhook'],
  ['job|jobs|task|tasks|background work|background job', 'operation'],
  ['quota|quotas|cap|caps|how many|at most', 'limit'],
  ['where can|where could|region|regions|data center|data centers|datacenter|site|sites|city', 'location'],
  ['size|sizes|flavor|flavors|instance type|instance types|tier', 'plan'],
  ['user|users|people|person|team|colleague|admin|admins|who has access', 'member role'],
  ['audit trail|security log|compliance|who changed|who deleted|who did|change history', 'audit entry log'],
  ['activity|activity feed|notification|notifications|what happened|happened|happen|feed|news', 'event'],
  ['whitelist|whitelisted|allowed source|ip filter|office address|call from|may use the api', 'ip allowlist'],
  ['company|billing country|time zone|timezone|currency', 'account profile'],
  [
    'inventory|everything i own|all things|things|thing|everything|assets|across all products',
    'resource all',
  ],
  ['tag|tags|tagged|labelled|labeled', 'label'],
  ['ram', 'memory'],
  ['last used', 'api key'],
  ['traffic', 'metric network'],
  [
    'cpu|load|graph|graphs|overloaded|utilisation|utilization|idle|performance|network graphs|cpu usage',
    'metric',
  ],
  ['vnc|kvm|remote screen|screen|keyboard|terminal|in the browser', 'console open session'],
  ['boot messages|boot message|kernel output|serial log|kernel log|print|printed|dmesg', 'console log'],
  [
    'root password|login password|forgot|log in|sign in|administrator password|locked out',
    'vm password reset',
  ],
  ['repair system|recovery|recovery system|live system|broken filesystem|does not boot|repair', 'rescue'],
  ['mac', 'interface'],
  ['kubectl|k8s|cluster', 'kubernetes cluster'],
  ['dns name|ptr|rdns', 'reverse dns record'],
  // Money.
  ['bill|invoice|charges|spent|spend so far|cost breakdown|most expensive|have i spent|so far', 'usage cost'],
  [
    'cost alert|cost alerts|spending cap|spending caps|spending limit|cap my spending|spend|spending|money is used up|monthly spending',
    'budget',
  ],
  ['cap my|warn me|raise the|limit my|block new', 'set budget'],
  ['price list|tariff|tariffs|rate card|cost per hour|per month|how much does', 'price list'],
  ['quote|calculate|would cost|expensive would|before ordering|what would', 'estimate cost price'],
  // What is done.
  [
    'i need a|spin up|launch|order|make|set up|new|add|build|provision|clone|upload|register|store|import|turn my',
    'create',
  ],
  [
    'destroy|terminate|remove|get rid|tear down|drop|throw away|kill|erase|forget|clean up|no longer',
    'delete',
  ],
  ['leaked|disable it', 'revoke delete'],
  ['show|display|give me|see|available', 'list'],
  [
    'details|detail|look up|lookup|details of one|details of|show details|show one|inspect|by id|is the|is my|is this|how big|how large',
    'get',
  ],
  ['all|every|which|available|exist|find|is there|are set', 'list'],
  ['rename|edit|modify|protect|change|add a tag|add a label|add a route', 'update change'],
  [
    'reboot|power off|power on|turn on|turn off|turn the|shut down|shutdown|hard reset|power cycle|switch off|reset a hung',
    'start stop restart power action',
  ],
  ['at once|several|together|a group of|many|every machine', 'bulk many'],
  [
    'bigger|larger|larger plan|smaller|scale|scale down|scale up|upgrade to|grow|more ram|more memory|more disk|shrink',
    'resize',
  ],
  ['reinstall|rebuild|wipe|start over|fresh|factory', 'redeploy'],
  ['roll back|rollback|revert|bring back|yesterday s state|back to|undo a bad', 'restore disk'],
  ['save the state|freeze|before i upgrade|before a change', 'snapshot take create'],
  ['assign|give my|plug|plug into|join|connect', 'attach'],
  [
    'unplug|unassign|disconnect|out of the|take the public|take off|off the server|free the|from the box|from a machine',
    'detach',
  ],
  ['abort|withdraw|changed my mind|stop a running', 'cancel'],
  ['retry|resend|replay|once more|send again|again', 'redeliver again'],
  ['stream|follow|live', 'stream event'],
  ['progress|how far|finished|done|is the task|fail', 'operation get'],
  ['running jobs|going on|pending|history of', 'operation list'],
  ['refused|blocked|turned away|403|denied|forbidden', 'denial'],
  [
    'who am i|logged in|credentials work|key i am using|this api key|this key|which address am i',
    'whoami calling key',
  ],
  ['endpoint|endpoints|can i call|calls|call the api|reach', 'endpoint call list'],
  ['rotate', 'rotate secret'],
  ['delivery log|attempt|attempts|receive|received|gets nothing|get nothing', 'delivery list'],
  ['up|running', 'status'],
  ['fingerprint', 'ssh key'],
  ['capacity|availability|cheapest', 'plan availability'],
  ['route|gateway|address range', 'network'],
];

interface Entry {
  readonly said: string;
  readonly means: string;
}

/** The longest phrases first, so that "public ip" is taken before "ip". */
export const synonyms: readonly Entry[] = table
  .flatMap(([said, means]) => said.split('|').map((each) => ({ said: ` ${each} `, means })))
  .sort((a, b) => b.said.length - a.said.length);
