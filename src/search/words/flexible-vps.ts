/** What people call the things of virtual machines, in English and German and in the words of other clouds. */
import type { Table } from '../phrases.ts';

export const flexibleVps: Table = [
  [
    'vm',
    'vm|vms|server|box|machine|instance|virtual machine|virtual server|vps|droplet|node|guest|computer|host|ec2|compute engine|compute instance|gce|lightsail|linode|vultr|' +
      'cloud server|cx22|nova|virtual private server|ecs|web server|database server|root server|slice|' +
      'maschine|rechner|kiste|virtuelle maschine|virtueller server|virtuellen server|instanz|vserver|wurzelserver|rootserver|computer',
  ],
  // Pictures of disks.
  [
    'snapshot',
    'snapshot|snap|restore point|saved state|point in time|checkpoint|copy of the disk|disk copy|state of the server|server state|current state|saved states|' +
      'schnappschuss|schnappschüsse|momentaufnahme|abbild des zustands|wiederherstellungspunkt|sicherungspunkt|speicherpunkt|zwischenstand|sicherungspunkte',
  ],
  [
    'volume snapshot',
    'volume snapshot|snapshot of ~ volume|snapshot of ~ data disk|snapshot of ~ data volume|ebs snapshot|disk snapshot|snapshot of ~ disk|snapshots of ~ volume|snapshots of ~ disk|volumen snapshot|snapshot ~ volume|snapshots ~ volume|snapshot ~ datenträger|snapshot ~ festplatte|snapshot ~ ebs|snapshot ~ block storage|cinder snapshot|persistent disk snapshot|managed disk snapshot|volume ~ snapshot|datenträger ~ snapshot|data disk ~ snapshot|disk ~ snapshot|schnappschuss ~ datenträger|schnappschuss ~ volume',
  ],
  [
    'backup',
    'backup|backups|sicherung|sicherungen|datensicherung|sicherungskopie|recovery point|vzdump|aws backup|vault|sicherheitskopie|archive copy|full copy outside',
  ],
  ['backup +create?', 'sichern|sichere|wegsichern'],
  [
    'vm disk',
    'disk of ~ vm|disk of ~ server|disk of ~ machine|disk of ~ box|disk of ~ instance|root disk|server disk|system disk|boot disk|systemplatte|platte des servers|festplatte des servers|server platte|bootplatte',
  ],
  [
    'backup policy',
    'backup policy|backup policies|backup schedule|backup plan|backup rule|nightly backup|nightly backups|every night ~ backup|backup ~ every night|backup ~ nightly|automatic backup|automatic backups|automated backup|scheduled backup|scheduled backups|next backup|daily backup|weekly backup|regular backups|retention|backup retention|schedule of backups|' +
      'lifecycle policy|data lifecycle manager|dlm|aws backup plan|recovery services policy|back up ~ automatically|back up ~ every|backups ~ every|backups ~ daily|backups ~ automatically|daily backups|weekly backups|backups happen|snapshot schedule|automatic snapshots|how long ~ backups|keep ~ backups|keep backups|backups ~ kept|backup window|cron backup|backup cadence|backup frequency|' +
      'sicherungsplan|sicherungszeitplan|backupplan|backup plan|sicherungsrichtlinie|automatische sicherung|automatische sicherungen|automatische backups|automatisch sichern|nächtliche sicherung|nächtlichen sicherung|nächtliche backups|jede nacht ~ sichern|sichern ~ jede nacht|backup ~ jede nacht|täglich sichern|tägliche sicherung|tägliche backups|tägliches backup|wöchentliche sicherung|wöchentlich sichern|aufbewahrung|aufbewahrungsdauer|sicherungsregel|regelmäßig sichern|regelmäßige sicherung|sicherungen ~ automatisch|sicherung ~ automatisch|aufbewahren|sicherungsintervall|backup zeitplan|zeitplan',
  ],
  [
    'volume',
    'volume|volumes|block storage|block device|data disk|data disks|extra disk|additional disk|second disk|attached disk|ebs|ebs volume|elastic block store|persistent disk|managed disk|cinder|external disk|separate disk|data volume|storage volume|storage|block volume|disk for data|hard drive|hard disk|additional storage|separate from the system|separately from the system|extra storage|more storage space|disk|drive|disks|' +
      'volumen|festplatte|festplatten|datenträger|platte|platten|datenplatte|zusatzplatte|blockspeicher|speicherplatz|laufwerk|zusätzliche platte|speichervolumen|datenvolume|massenspeicher',
  ],
  [
    'image',
    'image|images|template|templates|distribution|distro|operating system|os|golden image|qcow2|vmdk|disk image|imported disk|ami|amis|machine image|os image|custom image|server image|base image|vhd|systems can i install|which linux|' +
      'vorlage|vorlagen|betriebssystem|betriebssysteme|abbild|abbilder|systemabbild|serverabbild|servervorlage|distribution|distributionen|eigenes image',
  ],
  [
    'image?',
    'linux|debian|ubuntu|windows|alma|almalinux|rocky|fedora|freebsd|centos|arch|suse|opensuse|alpine|nixos|jammy|noble|bookworm',
  ],
  [
    'iso',
    'iso|isos|cd|dvd|cd image|cd rom|cdrom|optical|disc|discs|installer|installation medium|installation media|installation disc|installation discs|install disc|boot disc|bootable medium|install cd|virtual cd|boot media|iso file|install medium|iso image|' +
      'installationsmedium|installationsmedien|installations cd|installationsdatei|datenträgerabbild|startmedium|bootmedium|iso datei|iso abbild',
  ],
  [
    'iso eject',
    'eject|insert ~ disc|into the drive|in the drive|in das laufwerk|ins laufwerk|aus dem laufwerk|into ~ drive|out of the drive|insert ~ iso|insert ~ cd|put ~ drive|mount ~ iso|mount ~ cd|mount ~ disc|boot from iso|boot from ~ iso|boot from ~ cd|boot from ~ disc|boot ~ iso|attach ~ iso|attach iso|detach ~ iso|virtual drive|cd drive|dvd drive|laufwerk einlegen|einlegen|lege ~ ein|auswerfen|wirf ~ aus|cd laufwerk|iso einhängen|iso ~ einhängen|von iso booten|von ~ iso booten|iso ~ starten|iso mounten|unmount ~ iso|take ~ iso out|remove ~ disc from|remove ~ iso from',
  ],
  [
    'ssh key',
    'ssh key|ssh keys|public key|login key|laptop key|id ed25519|id rsa|pub|ssh public key|key pair|keypair|key pairs|import key pair|authorized key|authorized keys|pubkey|ssh|sshkey|without a password|type a password|no password|kein passwort|without password|passwordless|ohne passwort|ohne kennwort|' +
      'ssh schlüssel|öffentlicher schlüssel|öffentlichen schlüssel|schlüsselpaar|sshschlüssel|anmeldeschlüssel|login schlüssel|ssh zugangsschlüssel',
  ],
  // Networks.
  [
    'network',
    'network|private network|vpc|vpcs|vlan|subnet|subnets|internal network|internal subnet|private lan|lan|backend network|virtual network|vnet|vswitch|private subnet|virtual private cloud|isolated network|neutron|' +
      'netzwerk|netz|privates netzwerk|private netzwerke|privates netz|privaten netzwerk|internes netz|internes netzwerk|subnetz|teilnetz|hausnetz|internen netz|privaten netz|private netze',
  ],
  [
    'network route dns',
    'route|routes|routing|route table|static route|nameserver|name server|dns server|dns servers|nat|nat gateway|cidr|address range|routing tabelle|routen|resolver',
  ],
  [
    'interface',
    'interface|interfaces|nic|nics|network card|network cards|network adapter|network interface|network interfaces|ethernet|mac address|mac|eni|network port|nic of|elastic network interface|internal ip|private ip|private address|internal address|alias ip|alias address|secondary ip|failover address|spoofing|anti spoofing|private addresses|' +
      'netzwerkkarte|netzwerkkarten|netzwerkschnittstelle|schnittstelle|schnittstellen|netzwerkadapter|mac adresse|interne ip|private ip adresse|netzwerkanschluss|interne adresse|aliasadresse|adapter',
  ],
  [
    'interface +attach',
    'connect ~ to ~ network|attach ~ to ~ network|join ~ network|plug ~ into ~ network|put ~ into ~ network|add ~ to ~ network|connect ~ network|attach ~ network|join ~ vpc|add ~ to ~ vpc|connect ~ to ~ vlan|put ~ into ~ vpc|put ~ in ~ network|plug ~ vlan|add ~ to ~ vlan|attach ~ vpc|join ~ vlan|put ~ in ~ vpc|attach ~ subnet|join ~ subnet|' +
      'netzwerk verbinden|netz verbinden|netzwerk hängen|netz hängen|netzwerk anschließen|netz anschließen|netzwerk aufnehmen|netz aufnehmen|ins ~ netz|ins ~ netzwerk|ans ~ netz|ans ~ netzwerk|dem netzwerk hinzufügen|an ~ netzwerk anschließen|ins netz|ins netzwerk',
  ],
  [
    'interface +detach',
    'disconnect ~ from ~ network|detach ~ from ~ network|remove ~ from ~ network|unplug ~ from ~ network|take ~ out of ~ network|disconnect ~ network|disconnect ~ vpc|detach ~ network|remove ~ from ~ vpc|unplug ~ network|take ~ out of ~ vpc|leave ~ network|take ~ off ~ network|disconnect ~ vlan|remove ~ from ~ vlan|' +
      'vom netz|vom netzwerk|aus ~ netzwerk|aus ~ netz|vom ~ netz|vom ~ netzwerk|netzwerk trennen|netz trennen|aus dem netz nehmen',
  ],
  [
    'public ip address',
    'public ip|floating ip|floating ips|standby|failover|switch over|switchover|elastic ip|elastic ips|public address|reserved address|static ip|reserved ip|public ipv4|public ips|eip|external ip|fixed ip|additional ip|second ip|extra ip|additional address|separate addresses|failover ip|primary ip|ipv4 address|second public address|dedicated ip|separate address|internet address|reachable from the internet|extra ipv4|' +
      'öffentliche ip|öffentliche adresse|öffentlichen ip|öffentliche ip adresse|feste ip|feste adresse|statische ip|zusätzliche ip|zweite ip|externe ip|reservierte ip|reservierte adresse|aus dem internet erreichbar|öffentliche ipv4|öffentliche adressen|weitere ip',
  ],
  ['ip address', 'address|addresses|ip|ips|ipv4|ipv6|adresse|adressen|ip adresse|ip adressen'],
  [
    'firewall',
    'firewall|firewalls|security group|security groups|packet filter|nsg|network security group|acl|network acl|rule set|iptables|filter|filtering|filters|packet filtering|filtern|ufw|sg|nacl|traffic filter|rules for traffic|' +
      'firewalls|paketfilter|sicherheitsgruppe|sicherheitsgruppen|brandmauer|schutzregeln|regelwerk',
  ],
  [
    'firewall rule +add',
    'open port|open a port|open ~ port|allow ssh|allow http|allow https|allow connection|allow connections|let in|allow traffic|allow ~ port|ingress rule|egress rule|add ~ rule|new rule|block traffic|block an address|block ~ ip|block ~ range|block ~ country|deny traffic|unblock ~ port|unblock|entsperren|expose port|expose ~ port|ban ~ ip|allow ~ from|authorize security group ingress|authorize ingress|inbound rule|ban an address|block attackers|open up|forward ~ port|permit|whitelist ~ port|make ~ port reachable|' +
      'port öffnen|port ~ öffnen|öffne ~ port|port freigeben|port ~ freigeben|ports öffnen|ports freigeben|ssh erlauben|erlauben|erlaube|zulassen|durchlassen|port aufmachen|port ~ aufmachen|freischalten|regel hinzufügen|neue regel|regel anlegen|portfreigabe|blockieren|adresse sperren|zugriff erlauben|regel ergänzen',
  ],
  [
    'firewall rule +remove',
    'close port|close a port|close ~ port|delete ~ rule|remove ~ rule|drop ~ rule|revoke security group ingress|revoke ingress|revoke ~ rule|take back ~ rule|stop allowing|no longer allow|withdraw ~ rule|' +
      'port schließen|port ~ schließen|schließe ~ port|ports schließen|port zumachen|port ~ zumachen|regel löschen|regel entfernen|regel ~ löschen|regel ~ entfernen|nicht mehr erlauben|portfreigabe löschen|portfreigabe entfernen|port sperren|port ~ sperren|lösche ~ regel|entferne ~ regel',
  ],
  [
    'firewall rule',
    'firewall rule|firewall rules|firewall regel|firewall regeln|rule|rules|port|ports|inbound|outbound|incoming|outgoing|ingress|egress|regel|regeln|eingehend|eingehende|ausgehend|ausgehende|ports ~ open|offene ports',
  ],
  [
    'firewall attachment +detach',
    'detach ~ firewall|take ~ firewall off|remove ~ firewall from|firewall off|stop applying ~ firewall|take ~ security group off|remove ~ security group from|without ~ firewall|unassign ~ firewall|unlink ~ firewall|disable ~ firewall for|firewall ~ remove it temporarily|no firewall|firewall ~ lösen|firewall ~ trennen|firewall vom|firewall von ~ entfernen|firewall ~ abhängen|firewall ~ wegnehmen|firewall abnehmen|firewall abhängen|firewall lösen',
  ],
  // VPN.
  [
    'vpn gateway',
    'vpn gateway|vpn gateways|wireguard gateway|wireguard server|vpn server|vpn endpoint|client vpn endpoint|vpn concentrator|vpn into|virtual network gateway|vpn|wireguard|cloud vpn|site to site|openvpn server|vpn service|vpn port|' +
      'vpn server|vpn gateway|vpn dienst|vpn einwahl|vpn tor',
  ],
  [
    'vpn peer',
    'vpn peer|vpn peers|peer|peers|vpn client|vpn clients|vpn user|vpn users|vpn device|vpn access for|wireguard peer|wireguard client|to the vpn|from the vpn|over ~ vpn|connected to ~ vpn|vpn ~ connected|connects to ~ vpn|vpn ~ verbunden|connect over ~ vpn|into the vpn|use the vpn|using the vpn|vpn account|vpn connection|tunnel|tunnels|handshake|branch office|roadwarrior|road warrior|on the vpn|vpn access|device ~ vpn|laptop ~ vpn|phone ~ vpn|colleague ~ vpn|employee ~ vpn|vpn ~ laptop|vpn ~ phone|vpn ~ colleague|vpn ~ employee|allowed ips|home office|' +
      'vpn benutzer|vpn nutzer|vpn gerät|vpn geräte|vpn teilnehmer|gegenstelle|zum vpn|vpn verbindung|ins vpn|vom vpn|im vpn|aus dem vpn|vpn zugang für|vpn ~ mitarbeiter|mitarbeiter ~ vpn|laptop ~ vpn|handy ~ vpn|gerät ~ vpn|kollege ~ vpn|kollegin ~ vpn|außenstelle|tunnelteilnehmer',
  ],
  [
    'vpn peer configuration',
    'wireguard config|wireguard configuration|vpn config|vpn configuration|config file|conf file|qr code|qrcode|wg0 conf|wg quick|vpn profile|vpn settings|vpn on ~ phone|vpn on ~ mobile|vpn ~ mobile|vpn ~ iphone|vpn ~ handy|vpn ~ android|vpn ~ smartphone|scan ~ vpn|wireguard file|wireguard ~ file|wireguard app|vpn on ~ iphone|vpn on ~ android|vpn app|vpn konfiguration|wireguard konfiguration|konfigurationsdatei|vpn datei|qr kode|vpn profil|vpn einstellungen|vpn auf ~ handy|vpn aufs handy|configuration ~ vpn|config ~ vpn|konfiguration ~ vpn|config ~ peer|configuration ~ peer|config for wireguard|client config|client configuration',
  ],
  [
    'placement group',
    'placement group|placement groups|anti affinity|antiaffinity|close to each other|close together|near each other|nah beieinander|nahe beieinander|low latency between|keep ~ apart|affinity|affinity group|spread group|spread|spreading|different host|different hosts|demselben host|denselben host|demselben server|derselben maschine|denselben server|on the same host|separate host|separate hosts|separate hardware|different hardware|host separation|share hardware|availability set|availability sets|server group|server groups|same hardware|same host|fail together|fail at the same time|never run on|apart from each other|apart|not share|physically separated|different racks|different physical|same physical|one host fails|hardware failure ~ both|spread ~ across|on one physical|' +
      'platzierungsgruppe|platzierungsgruppen|verfügbarkeitsgruppe|verfügbarkeitsgruppen|antiaffinität|affinität|verschiedene hosts|verschiedenen hosts|getrennte hosts|getrennter hardware|getrennten hosts|unterschiedlicher hardware|unterschiedlichen hosts|verschiedener hardware|selben host|gleichen host|derselben hardware|gleicher hardware|gleichen hardware|auseinander halten|servergruppe|gleichzeitig ausfallen|verteilen|verteilungsgruppe',
  ],
  // What a machine does and shows.
  [
    'console',
    'console|bastion|vnc|kvm|remote screen|screen|on the monitor|on the screen|monitor of|keyboard|terminal|in the browser|browser terminal|while it boots|beim booten zusehen|without ssh|no ssh|ssh is dead|ohne ssh|through the web|over the web|via web|through the browser|über den browser|per browser|in a web page|console access|open console|web console|lish|novnc|serial console|remote console|out of band|ec2 instance connect|cloud shell|spice|rescue console|emergency access|can t ssh|cannot ssh|ssh ~ not work|ssh is down|monitor and keyboard|ssh ~ broken|remote desktop|' +
      'konsole|bildschirm|tastatur|im browser|fernkonsole|webkonsole|serielle konsole|monitor des servers|bildschirminhalt|ssh geht nicht|ssh ~ nicht',
  ],
  [
    'console log',
    'console log|boot message|boot messages|kernel output|serial log|kernel log|dmesg|kernel panic|boot log|output of ~ machine|console output|get console output|serial output|serial port output|boot diagnostics|crashed during boot|crash ~ boot|while booting|printed while|during boot|startup log|boot output|does it hang at boot|boot problem|startup messages|why ~ not boot|why ~ boot|why ~ come up|last output|messages at startup|panic|' +
      'bootmeldungen|bootmeldung|startmeldungen|boot meldungen|kernelmeldungen|konsolenausgabe|bootlog|startprotokoll|bootprotokoll|konsolenprotokoll|konsolenlog|beim booten|beim start|kernelpanik|beim hochfahren|warum ~ startet|ausgabe beim start|serielle ausgabe|systemmeldungen',
  ],
  [
    'metrics',
    'metric|metrics|cpu|load|graph|graphs|overload|overloaded|utilisation|utilization|performance|cpu usage|cpu load|statistic|statistics|traffic|throughput|disk io|iops|bandwidth|busy|monitor|monitoring|cloudwatch|cloud monitoring|azure monitor|usage graph|memory usage|slowly|very slow|zu langsam|träge|reagiert langsam|speicherverbrauch|ramverbrauch|cpu verbrauch|how is ~ doing|memory pressure|pressure|consumption of cpu|ram consumption|swapping|network usage|ram usage|cpu utilization|sluggish|slow server|server is slow|being slow|maxed out|performance data|resource usage|idle|bottleneck|hot|stackdriver|cpu graph|processor time|' +
      'auslastung|cpu auslastung|messwerte|metriken|leistungsdaten|verlauf|datenverkehr|überlastet|ausgelastet|prozessorlast|speicherauslastung|netzwerkverkehr|bandbreite|statistik|statistiken|cpu last|langsam|durchsatz|leerlauf|diagramm|verkehr|serverlast',
  ],
  [
    'password reset',
    'password|root password|login password|forgot|forgotten password|root zugang|zugang ~ wiederherstellen|admin zugang|rootzugang|root credentials|credentials for ~ root|new credentials|credentials for ~ server|credentials of ~ server|can t get in|cannot get in|cant get in|get back in|cannot sign in|can t sign in|login lost|lost login|root login|lost my login|lost access|zugang verloren|administrator password|locked out|new password|cannot log in|can t log in|lost root|password reset|reset password|lost ~ password|lost password|admin password|get password data|reset ~ password|credentials for the machine|log in any more|' +
      'passwort|kennwort|root passwort|passwort vergessen|passwort zurücksetzen|neues passwort|zugangsdaten ~ server|ausgesperrt|vergessen|administratorpasswort|passwort ~ zurücksetzen|kennwort zurücksetzen|rootpasswort|zugangspasswort|komme nicht mehr rein',
  ],
  [
    'rescue',
    'rescue|rescue mode|emergency boot|emergency system|boot environment|rescue system|repair system|recovery|recovery mode|recovery system|live system|broken filesystem|does not boot|doesnt boot|wont boot|fails to boot|boot fails|stuck at boot|no longer boots|doesn t boot|won t boot|not boot|not booting|repair|unbootable|fsck|single user mode|emergency mode|broken grub|grub|broken bootloader|bootloader|broken fstab|fstab|rescue image|' +
      'rettungssystem|rettungsmodus|notfallsystem|rescuemodus|rescuesystem|reparieren|reparatur|bootet nicht|startet nicht|startet nicht mehr|bootet nicht mehr|notsystem|reparatursystem|notfallmodus|fährt nicht hoch|hochfahren ~ nicht|dateisystem ~ kaputt|kaputtes dateisystem',
  ],
  [
    'bulk',
    'at once|several|together|group of|many|multiple|whole fleet|fleet|in bulk|bulk|en masse|batch|in one go|in one call|simultaneously|a bunch of|bunch|dozen|mehrere|mehreren|gleichzeitig|auf einmal|gesammelt|sammelaktion|massenhaft|viele|vieler|auf einen schlag|stapel|in einem rutsch|dutzend',
  ],
  [
    'vm +redeploy',
    'os neu|system neu|betriebssystem neu|neu aufspielen|neu aufsetzen|install ~ os again|reinstall ~ os|new os on|other os|another os|different os|different operating system|another operating system|anderes betriebssystem|swap ~ os|switch ~ os|change ~ operating system|change ~ os',
  ],
  [
    'vm plan +resize',
    'change ~ instance type|change ~ plan|change ~ size|switch ~ plan|switch ~ to ~ plan|move ~ to ~ plan|other plan|different plan|another plan|anderer tarif|anderen tarif|tarif wechseln|tarifwechsel|plan wechseln|größe ändern|instance type change|change machine type|change ~ machine type|modify ~ instance type|vertical scaling|plan upgrade|plan downgrade|resize ~ plan',
  ],
  // What can be ordered.
  [
    'location',
    'location|locations|region|regions|data center|data centers|datacenter|datacenters|data centre|datacentre|site|city|cities|country|geography|where can|where could|data stored|where is ~ stored|where are ~ stored|data residency|data located|gespeichert|sovereignty|gdpr|dsgvo|where do|availability zone|availability zones|zone|zones|az|in europe|inside the eu|in the eu|germany|frankfurt|closest to|near ~ customers|place ~ servers|latency|physically|where ~ run|where ~ hosted|describe regions|' +
      'standort|standorte|standorten|rechenzentrum|rechenzentren|regionen|ort|orte|wo stehen|wo steht|stadt|städte|land|länder|in deutschland|innerhalb der eu|in der eu|wo kann|wo können|deutschland|nähe',
  ],
  [
    'plan',
    'plan|plans|size|sizes|flavor|flavors|flavour|flavours|instance type|instance types|machine type|machine types|tier|how large can|how big can|configuration choice|package|packages|size slug|size slugs|server type|server types|sku size|t3 micro|describe instance types|vm sizes|models|cores and memory|smallest|biggest|largest|cheapest|gb ram|gb of ram|room for|capacity|sold out|ausverkauft|kapazität|vcpu|vcpus|' +
      'tarif|tarife|größe|größen|paket|pakete|servergröße|servergrößen|servertyp|servertypen|instanztyp|instanztypen|ausstattung|modelle|günstigster|günstigste|kleinste|kleinster|größter|leistungsklasse|leistungsklassen',
  ],
  [
    'label',
    'label|labels|tag|tags|labelled|labeled|annotation|schlagwort|schlagworte|etikett|beschriftung|markierung|labelling',
  ],
  [
    'protection',
    'protection|protect|delete ~ by mistake|deleted by mistake|nobody ~ delete|nobody deletes|no one ~ delete|niemand ~ löschen|niemand ~ löscht|cannot be deleted|can t be deleted|undeletable|nicht gelöscht werden|unlöschbar|delete protection|termination protection|from deleting|against deletion|prevent ~ deletion|prevent ~ delete|from being deleted|by accident|aus versehen|vor löschen|vor dem löschen|gegen löschen|lock ~ against deletion|accidental deletion|accidentally|löschschutz|schutz|schützen|versehentlich löschen|versehentliches löschen|deletion protection|lock ~ against',
  ],
  ['memory', 'ram|memory|arbeitsspeicher|hauptspeicher'],
  ['user data', 'cloud init|cloudinit|user data|userdata|startup script|init script|startskript'],
  [
    'location?',
    'nuremberg|nürnberg|falkenstein|helsinki|berlin|munich|münchen|hamburg|amsterdam|london|paris|asia|asien|usa|america|amerika|singapore|singapur|vienna|wien|zurich|zürich|tokyo|sydney|new york|finland|france|switzerland|schweiz|österreich|austria|uk|us east|eu west|eu central',
  ],
  [
    'vm +redeploy',
    'hacked|infected|malware|virus|clean system|gehackt|verseucht|schadsoftware|kompromittiert|clean os',
  ],
  [
    'backup? policy?',
    'every night|nightly|jede nacht|nächtlich|nächtliche|nächtlichen|every day|daily|täglich|tägliche|weekly|wöchentlich',
  ],
  [
    'backup policy?',
    'disaster|disaster recovery|data loss|datenverlust|lose data|losing data|lose our data|katastrophe|daten verlieren',
  ],
  ['vpn gateway? peer', 'vpn zugang|vpn access|zugang zum vpn|zugriff auf ~ vpn|vpn zugriff'],
  [
    'vpn gateway? peer?',
    'work from home|home office|homeoffice|from home|remote work|remote access|remotely|von zu hause|unterwegs|fernzugriff|secure tunnel|secure connection|sichere verbindung|sicherer zugang|on the road',
  ],
  ['firewall? rule? +add?', 'forbid|prohibit|deny|ban|verbieten|untersagen|admit|whitelist port'],
  [
    'firewall? rule?',
    'http|https|rdp|smtp|imap|mysql port|tcp|udp|icmp|ping|reachable|unreachable|blocked|blockiert|gets through|let through|let ~ through|attack|attacks|attackers|ddos attack|brute force|bots|nicht erreichbar|angriff|angriffe|scanner',
  ],
  [
    'firewall +create?',
    'lock down|secure ~ server|secure ~ machine|secure ~ vm|abschotten|abriegeln|dichtmachen|from the internet|aus dem internet|vor dem internet|from hackers|vor hackern',
  ],
  [
    'vpn peer +create?',
    'connect ~ phone|connect ~ laptop|connect ~ office|connect ~ home|phone ~ network|laptop ~ network|office ~ network|home ~ network|handy ~ netz|laptop ~ netz|büro ~ netz|büro ~ verbinden|office ~ connect',
  ],
  [
    'vpn? peer?',
    'device|agency|supplier|agentur|dienstleister|phone|laptop|handy|notebook|smartphone|tablet|iphone|android|ipad|freelancer|contractor|außendienst',
  ],
  [
    'vm +resize',
    'traffic peak|peak load|more visitors|lots of visitors|many visitors|black friday|ansturm|lastspitze|handle more|mehr besucher|viele besucher|oversized|rightsizing|overprovisioned|überdimensioniert',
  ],
  [
    'snapshot +create?',
    'without risk|risk free|safely try|safe to try|just in case|if ~ goes wrong|falls ~ schiefgeht|schiefgeht|schief geht|sicherheitshalber|for safety|ohne risiko|vorsichtshalber|safety net|point to return|fallback point',
  ],
  ['backup? snapshot?', 'copies|copy|kopie|kopien|hold on to|aufheben'],
  // "Everything" is what runs, if somebody wants to stop or start it.
  [
    'vm bulk +stop',
    'everything ~ off|everything ~ down|everything to a stop|stop everything|halt everything|shut ~ everything|alles aus|alles ~ ausschalten|alles ~ abschalten|alles ~ herunterfahren|alles ~ runterfahren|alles ~ stoppen|alles ~ anhalten',
  ],
  [
    'vm bulk +start',
    'everything on|everything up|start everything|boot everything|alles an|alles ~ einschalten|alles ~ starten|alles ~ hochfahren',
  ],
  [
    'vm bulk +restart',
    'restart everything|reboot everything|everything off and on|alles neu starten|alles neustarten',
  ],
  ['plan?', 'small|cheap|klein|billig|günstig'],
];
