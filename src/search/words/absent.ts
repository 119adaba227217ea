/**
 * Things that people know from other providers and that the API does not have, with the nearest topics that it has.
 * An entry counts only until some operation has its resource or permission, so a new family needs no change here to be
 * found; a law then asks for its words to move to the table of the family.
 */

export interface AbsentThing {
  /** The permission without its verb, or the resource, whose first operation ends the entry. */
  readonly until: string;
  /** As in the sentence "Nothing here is about …". */
  readonly things: string;
  readonly near: readonly [string, ...string[]];
  /** As in the other tables. */
  readonly said: string;
}

export const absentThings: readonly AbsentThing[] = [
  // What the contract plans.
  {
    until: 'kubernetes:clusters',
    things: 'Kubernetes clusters',
    near: ['vm', 'placement_group'],
    said: 'kubernetes|kubernetes cluster|kubernetes clusters|k8s|k8s cluster|kubernetescluster|k3s|eks|gke|aks|doks|openshift|rancher|kubeconfig|kubectl|node pool|node pools|nodepool|helm chart|ingress controller|container orchestration|managed kubernetes',
  },
  {
    until: 'dedicated:servers',
    things: 'dedicated servers',
    near: ['vm', 'vps_plan', 'placement_group'],
    said: 'dedicated server|dedicated servers|dedicated machine|dedicated machines|dedicated host|dedicated hosts|dedicated root server|dedicated hardware|bare metal|baremetal|bare metal server|bare metal servers|metal instance|root server hardware|physical server|physical servers|physical machine order|dedizierter server|dedizierte server|dedizierten server|dedizierte hardware|physischer server|physischen server|ipmi|idrac|ilo',
  },
  {
    until: 'storage:buckets',
    things: 'object storage',
    near: ['volume', 'backup'],
    said: 'bucket|buckets|s3|s3 bucket|s3 buckets|object storage|object store|objektspeicher|object lifecycle|blob storage|blob container|azure blob|gcs|cloud storage bucket|minio|spaces bucket|digitalocean spaces|backblaze|wasabi|glacier|r2 bucket|storage access key|presigned url',
  },
  {
    until: 'datacenter:racks',
    things: 'colocation and racks',
    near: ['vps_location', 'placement_group'],
    said: 'colocation|colo|colocate|rack space|rack unit|rack units|server rack|server racks|my rack|our rack|rack mieten|serverschrank|serverschränke|höheneinheit|höheneinheiten|pdu|pdus|power feed|power strip',
  },
  {
    until: 'datacenter:remote-hands',
    things: 'remote hands and visits',
    near: ['vps_location', 'operation'],
    said: 'remote hands|smart hands|remotehands|technician|techniker|datacenter visit|data center visit|visit ~ datacenter|visit ~ data center|rechenzentrum besuchen|besuch im rechenzentrum|zutritt|shipment|shipments|parcel|paket liefern|hardware liefern|ship hardware|ship ~ hardware',
  },
  {
    until: 'datacenter:cross-connects',
    things: 'cross connects',
    near: ['vpn_gateway', 'network'],
    said: 'cross connect|cross connects|crossconnect|crossconnects|direct connect|aws direct connect|expressroute|express route|dark fiber|dark fibre|leased line|standleitung|glasfaser|cloud interconnect',
  },
  {
    until: 'monitoring:monitors',
    things: 'uptime checks and alerts about machines',
    near: ['vm_metrics', 'webhook', 'event'],
    said: 'uptime|uptime check|uptime checks|uptime monitor|uptime monitoring|health check|health checks|healthcheck|http check|monitor ~ website|monitor ~ site|website überwachen|webseite überwachen|ping check|pingdom|statuscake|uptimerobot|uptime robot|synthetic check|synthetic monitoring|status page|statuspage|cpu alert|cpu alarm|cloudwatch alarm|cloudwatch alarms|alert ~ cpu|alarm ~ cpu|alert ~ disk full|alert ~ server down|notification channel|erreichbarkeit prüfen|erreichbarkeit überwachen|überwachung einrichten',
  },
  // What nobody plans.
  {
    until: 'bgp',
    things: 'address blocks of your own, which the provider announces',
    near: ['address', 'network'],
    said: 'byoip|bring your own ip|announce ~ prefix|bgp session|bgp',
  },
  {
    until: 'load_balancer',
    things: 'load balancers',
    near: ['vm', 'placement_group', 'firewall'],
    said: 'load balancer|load balancers|loadbalancer|loadbalancers|load balancing|load balance|balance load|balance traffic|distribute traffic|distribute ~ traffic|elb|alb|nlb|elastic load balancer|elastic load balancing|application load balancer|network load balancer|application gateway|target group|target groups|nodebalancer|nodebalancers|lastverteiler|lastverteilung|lastausgleich|last verteilen|traffic verteilen|traffic manager|reverse proxy',
  },
  {
    until: 'dns_zone',
    things: 'DNS zones and records',
    near: ['network', 'vm'],
    said: 'dns zone|dns zones|dns zonen|dns record|dns records|dns entry|dns entries|dns eintrag|dns einträge|a record|aaaa record|cname|cname record|mx record|mx records|mx eintrag|txt record|spf record|hosted zone|hosted zones|route 53|route53|cloud dns|azure dns|dns hosting|managed dns|subdomain|subdomains|nameserver ~ domain|domain ~ nameserver',
  },
  {
    until: 'domain',
    things: 'domains',
    near: ['network', 'vm'],
    said: 'domain name|domain names|register ~ domain|buy ~ domain|transfer ~ domain|domain registration|domain transfer|domain registrar|registrar|domain registrieren|domain kaufen|domain bestellen|domain umziehen|domain übertragen|domainname|domains|whois|top level domain|tld|authcode',
  },
  {
    until: 'certificate',
    things: 'TLS certificates',
    near: ['firewall', 'vm'],
    said: 'ssl certificate|ssl certificates|ssl cert|tls certificate|tls certificates|tls cert|https certificate|wildcard certificate|certificate manager|let s encrypt|lets encrypt|letsencrypt|zertifikat|zertifikate|ssl zertifikat|ssl zertifikate|tls zertifikat|certbot',
  },
  {
    until: 'cdn',
    things: 'content delivery',
    near: ['vps_location', 'vm'],
    said: 'cdn|cloudflare|content delivery|content delivery network|cloudfront|cloud cdn|azure front door|front door|fastly|akamai|edge cache|edge caching|cache static files|bunny cdn',
  },
  {
    until: 'database',
    things: 'managed databases',
    near: ['vm', 'volume', 'image'],
    said: 'rds|aurora|dynamodb|cloud sql|cosmos db|cosmosdb|spanner|bigquery|redshift|elasticache|memorystore|mongodb atlas|dbaas|database as a service|mongodb as a service|postgres as a service|mysql as a service|redis cache|database service|managed database|managed databases|managed db|managed postgres|managed postgresql|managed mysql|managed mariadb|managed redis|managed mongodb|hosted database|hosted postgres|hosted mysql|managed postgres database|managed mysql database|verwaltete datenbank|datenbank als dienst|managed datenbank|datenbank mieten|datenbankdienst',
  },
  {
    until: 'function',
    things: 'serverless functions',
    near: ['vm', 'webhook'],
    said: 'lambda function|lambda functions|aws lambda|serverless|serverless function|serverless functions|cloud function|cloud functions|azure function|azure functions|function as a service|functions as a service|faas|edge function|edge functions|cloudflare worker|cloudflare workers',
  },
  {
    until: 'container',
    things: 'containers and app platforms',
    near: ['vm', 'image'],
    said: 'container registry|docker registry|container image registry|ecr|fargate|cloud run|run ~ container|run ~ containers|container hosting|docker hosting|container instances|container starten|app platform|app service|app engine|heroku app|heroku dyno|elastic beanstalk|beanstalk|paas|platform as a service|docker container|docker containers|docker compose',
  },
  {
    until: 'autoscaling_group',
    things: 'automatic scaling',
    near: ['vm', 'vm_metrics'],
    said: 'autoscaling|autoscale|autoscaler|auto scaling|auto scale|auto scaling group|autoscaling group|scaling group|scaling groups|scale set|scale sets|scale automatically|scale ~ automatically|automatisch skalieren|automatische skalierung|horizontal scaling|horizontal skalieren|managed instance group',
  },
  {
    until: 'gpu',
    things: 'GPUs',
    near: ['vps_plan', 'vm'],
    said: 'gpu|gpus|gpu instance|gpu instances|gpu server|gpu servers|gpu vm|gpu machine|graphics card|grafikkarte|grafikkarten|nvidia|cuda|h100|a100|tpu|tpus',
  },
  {
    until: 'mailbox',
    things: 'mailboxes and mail delivery',
    near: ['vm', 'firewall'],
    said: 'mailbox|mailboxes|mail box|email hosting|mail hosting|email account|email accounts|webmail|postfach|postfächer|mailserver postfach|mail postfach|email postfach|e mail postfach|smtp relay|amazon ses|sendgrid|mailgun|office 365|exchange server|hosted exchange|newsletter',
  },
  {
    until: 'web_space',
    things: 'web hosting without a machine',
    near: ['vm', 'image'],
    said: 'webspace|web space|shared hosting|webhosting|web hosting|web hosting package|cpanel|plesk|wordpress hosting|managed wordpress|ftp account|ftp zugang|ftp space|website builder|homepage baukasten|static site hosting',
  },
  {
    until: 'file_share',
    things: 'file shares',
    near: ['volume', 'network'],
    said: 'nfs|nfs share|efs|elastic file system|file share|file shares|shared file system|shared filesystem|file storage|azure files|filestore|smb share|samba share|cifs|storage box|netzlaufwerk|netzwerklaufwerk|dateifreigabe|nextcloud storage',
  },
  {
    until: 'queue',
    things: 'message queues',
    near: ['webhook', 'event'],
    said: 'sqs|message queue|message queues|message broker|pub sub|kafka|rabbitmq|event hub|service bus|nats streaming|nachrichtenwarteschlange',
  },
  {
    until: 'secret',
    things: 'a store for secrets',
    near: ['ssh_key', 'api_key'],
    said: 'secrets manager|secret manager|secret store|secrets store|key vault|keyvault|kms|key management service|hashicorp vault|hsm|geheimnisspeicher|customer managed key|encryption key',
  },
  {
    until: 'ddos_protection',
    things: 'DDoS protection and web application firewalls',
    near: ['firewall'],
    said: 'ddos|ddos protection|ddos mitigation|anti ddos|ddos schutz|waf|web application firewall|aws shield|cloudflare proxy|scrubbing|bot protection',
  },
  {
    until: 'payment_method',
    things: 'ways to pay',
    near: ['usage', 'price', 'profile'],
    said: 'payment method|payment methods|pay by card|pay with card|pay with paypal|credit card|credit cards|paypal|sepa|direct debit|bank account|bank details|kreditkarte|kreditkarten|zahlungsmethode|zahlungsart|zahlungsmittel|bankverbindung|lastschrift|prepaid|voucher|gutschein|coupon|promo code',
  },
  {
    until: 'invoice',
    things: 'invoices',
    near: ['usage', 'price', 'profile'],
    said: 'invoice|invoices|invoice pdf|pdf invoice|invoice address|invoice number|billing document|billing documents|receipt|receipts|refund|refunds|credit note|vat number|vat id|tax id|rechnung|rechnungen|rechnung als pdf|rechnungsnummer|rechnungskopie|zahlungsbeleg|beleg|gutschrift|umsatzsteuer id|ust id|faktura|bill as pdf|download ~ bill|pay ~ bill',
  },
  {
    until: 'network_peering',
    things: 'peering of networks',
    near: ['vpn_gateway', 'network', 'interface'],
    said: 'vpc peering|vnet peering|network peering|virtual network peering|peering connection|peering connections|peer two networks|peer ~ networks|peer ~ vpc|transit gateway|transit gateways|virtual wan|network connectivity center|cloud router|privatelink|private link|vpc endpoint|vpc endpoints|private endpoint|private endpoints|netzwerk peering|netze ~ verbinden|zwei netzwerke verbinden|connect two networks|connect two vpcs|join two networks',
  },
  {
    until: 'scheduled_task',
    things: 'scheduled tasks',
    near: ['vm', 'backup_policy', 'webhook'],
    said: 'cron job|cron jobs|cronjob|cronjobs|crontab|cron schedule|cron expression|scheduled task|scheduled tasks|scheduled job|scheduled jobs|task scheduler|job scheduler|eventbridge rule|cloud scheduler|logic app|logic apps|scheduled action|scheduled actions|schedule ~ script|run ~ every night|run ~ every hour|instance scheduler|start ~ on a schedule|stop ~ on a schedule|zeitplan für ~ server|geplante aufgabe|geplante aufgaben|zeitgesteuert|zeitgesteuerte aufgabe',
  },
  {
    until: 'spot_instance',
    things: 'spot machines and reserved prices',
    near: ['vps_plan', 'price', 'budget'],
    said: 'spot instance|spot instances|spot vm|spot vms|spot price|spot prices|preemptible|preemptible vm|preemptible instance|reserved instance|reserved instances|savings plan|savings plans|committed use|committed use discount|commitment discount|volume discount|mengenrabatt|rabatt|discount',
  },
  {
    until: 'log_store',
    things: 'a store for logs of applications',
    near: ['vm_console_log', 'audit_entry', 'event'],
    said: 'cloudwatch logs|log group|log groups|log analytics|log store|log storage|log drain|log drains|log forwarding|log shipping|ship ~ logs|forward ~ logs|collect ~ logs|central logging|centralized logging|application logs|application log|app logs|syslog server|flow log|flow logs|vpc flow logs|cloud logging|loki|elk|opensearch|elasticsearch|logs sammeln|zentrales logging|anwendungslogs',
  },
  {
    until: 'project',
    things: 'projects and folders',
    near: ['resource', 'profile', 'member'],
    said: 'create ~ project|new project|project folder|sub account|sub accounts|subaccount|subaccounts|subscription group|management group|organizational unit|aws organizations|projekt anlegen|projekt erstellen|neues projekt|unterkonto|unterkonten|move ~ to another project|another project',
  },
  {
    until: 'desktop',
    things: 'virtual desktops',
    near: ['vm', 'image'],
    said: 'virtual desktop|virtual desktops|vdi|desktop as a service|daas|aws workspaces|amazon workspaces|azure virtual desktop|cloud pc|virtueller desktop|virtuelle desktops',
  },
  {
    until: 'license',
    things: 'licences',
    near: ['image', 'iso'],
    said: 'license|licenses|licence|licences|license key|windows license|windows licence|lizenz|lizenzen|windows lizenz|lizenzschlüssel|product key',
  },
];
