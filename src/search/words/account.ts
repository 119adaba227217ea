/** What people call the things of an account: money, keys, people, logs and notifications. */
import type { Table } from '../phrases.ts';

export const account: Table = [
  [
    'whoami',
    'who am i|whoami|what s my ip|what is my ip|my ip according|my own ip|my own address|meine eigene ip|welche ip habe ich|from where do i call|logged in|signed in|credential work|credentials work|key i am using|key am i using|this api key|this key|which address am i|i use right now|am i using|my key|my own key|caller identity|get caller identity|sts|current user|current key|calling key|calling identity|which account am i|does my key work|does ~ key work|is my key valid|test my key|wer bin ich|angemeldet|mit welchem schlüssel|welcher schlüssel|mein schlüssel|eingeloggt|eigene rechte|meine rechte|meine berechtigungen|mein api schlüssel|my permissions|what am i allowed',
  ],
  [
    'endpoint api access',
    'which endpoints|list endpoints|all endpoints|api endpoints|every endpoint|can i call|may i call|what can ~ call|what may ~ call|allowed to call|call the api|what can i do|what can ~ key do|what may ~ key|can this key|which calls|which apis|my apis|allowed operations|api functions|which operations|available operations|which api calls|which functions|list of calls|api methods|what does ~ api offer|welche aufrufe|welche endpunkte|alle endpunkte|was darf ~ schlüssel|darf ich aufrufen|welche funktionen|api funktionen|welche api|was kann ~ schlüssel|aufrufen darf|schnittstellen der api|am i allowed to|is ~ allowed to',
  ],
  [
    'profile account',
    'azure subscription|company|billing country|billing address|time zone|timezone|currency|my account|account settings|account details|account profile|account information|company name|company details|account name|contact|contacts|contact details|profile|on file|account status|address is on file|customer number|customer data|stammdaten|firma|firmenname|firmendaten|kontodaten|kontoinformationen|kundendaten|kundennummer|rechnungsadresse|währung|zeitzone|kontoeinstellungen|profil|mein konto|kontakt|ansprechpartner|kontostatus|kontoprofil|konto',
  ],
  [
    'resource all inventory',
    'inventory|everything i own|everything|asset|assets|across all products|complete list|all that i have|all resources|resource|resources|all our stuff|stuff|all things|whole account|everything we own|everything we have|everything we run|what do i own|what do we own|resource groups|all my stuff|all products|resource explorer|cloud asset inventory|across the account|ressourcen|ressource|bestand|inventar|alles was|gesamter bestand|bestandsliste|gesamtübersicht|alle sachen|was besitzen|was haben wir alles|alles anzeigen|alles auflisten|was läuft alles',
  ],
  [
    'limit',
    'limit|limits|quota|quotas|cap|at most|maximum number|allowance|ceiling|maximum|service quotas|how many ~ may|how many ~ can|another server|can t create another|cannot create another|not create more|create any more|allowed to have|how many more|how many more ~ can|wie viele ~ noch|how many ~ left|bin ich am limit|an der grenze|hit my|hit our|running into|room left|hit a limit|kontingent|kontingente|obergrenze|grenzen|limits|maximal|höchstens|wie viele ~ darf|wie viele ~ kann|wie viele ~ noch|noch erlaubt|höchstzahl|begrenzung|beschränkung',
  ],
  [
    'operation',
    'operation|operations|job|jobs|task|tasks|background work|background job|long running|in progress|process|activity status|action status|pending|pending approval|approval request|approval requests|approval|request for approval|running job|running jobs|in flight|going on|is running in the background|auftrag|aufträge|vorgang|vorgänge|aufgabe|aufgaben|hintergrund|hintergrundaufgabe|laufende|laufenden|läuft gerade|prozess|genehmigung|freigabe|freigabeanfrage|genehmigungsanfrage',
  ],
  [
    'operation +get',
    'progress|how far|finished|is ~ finished|succeed|succeeded|did ~ succeed|erfolgreich|geklappt|completed|done yet|is ~ done|is ~ ready|job finished|ready yet|has the|why did|failed|wait until|wait for|until ~ ready|until ~ done|poll|fortschritt|wie weit|fertig|ist ~ fertig|abgeschlossen|warten bis|warte bis|fehlgeschlagen|bis ~ fertig|status des vorgangs|status of ~ job|status of ~ task|status of ~ operation',
  ],
  [
    'event',
    'event|events|activity|activities|notification|notifications|what happened|happen|happened|happening|feed|recent activity|timeline|stream|follow|live|recent changes|event stream|event log|tail|as they happen|activity log|changes in real time|in real time|server sent events|ereignis|ereignisse|was ist passiert|passiert|geschehen|was war los|aktivität|aktivitäten|neuigkeiten|verlauf des kontos|live verfolgen|mitverfolgen|benachrichtigungen|ereignisstrom|letzte änderungen|vorkommnisse',
  ],
  [
    'webhook',
    'webhook|webhooks|callback|callbacks|hook|hooks|callback url|notify|ticket system|ticketsystem|jira|servicenow|crm|our monitoring|unser system|whenever|immer wenn|ping my|ping our|my endpoint|our endpoint|microsoft teams|discord|telegram|pagerduty|opsgenie|mattermost|zapier|message to ~ when|post ~ message|ping us|notified|slack|unsubscribe|are sent|post to|posted to|notification url|sns|sns topic|eventbridge|pubsub|event grid|event callbacks|push notifications|https endpoint|receive event|receive events|notifications are posted|call ~ url|ping ~ url|call my server|tell my server|tell our system|call us when|rückruf|benachrichtigen|benachrichtige|benachrichtigung|benachrichtigungsadresse|signing secret|webhook secret|informiere ~ system|zielurl|melden an|url aufrufen|inform ~ when|alert ~ system|notify me when|callback adresse',
  ],
  [
    'webhook delivery',
    'delivery log|delivery|deliveries|attempt|attempts|receive|gets nothing|get nothing|responses|response my|webhook attempts|webhook log|webhook history|failed webhook|delivered|undelivered|zustellung|zustellungen|zustellversuche|zustellversuch|ausgeliefert|angekommen|kommt nichts an|arrive|arrived|receiver|receiver was down|gesendete|gesendeten|sent to my webhook|empfangen',
  ],
  [
    'price',
    'price|prices|pricing|price list|price sheet|cost per|costs per|price of|price per|cheaper|cost of a|costs of a|kosten pro|preis von|preis für|tariff|tariffs|rate card|cost per hour|per hour|per month|how much does|how much is|how much are|charge for|do you charge|rate|rates|price table|how expensive is|what does ~ cost|what do ~ cost|hourly rate|preis|preise|preisliste|preistabelle|preisblatt|was kostet|was kosten|wie teuer ist|wie teuer sind|pro stunde|pro monat|stundenpreis|monatspreis|kostet',
  ],
  [
    'estimate cost price +estimate',
    'estimate|quote|price quote|how much will|how much would ~ be|what will|what would|going to cost|gonna cost|werden ~ kosten|wird ~ kosten|cost calculator|pricing calculator|price calculator|price estimate|cost estimate|how expensive would|how much would|what would ~ cost|what will ~ cost|cost of three|before ordering|kostenschätzung|preisrechner|kostenrechner|was würde|was würden|wie teuer wäre|angebot|voraussichtliche kosten|kostenvoranschlag|preisschätzung|preis berechnen|kosten berechnen|kosten schätzen',
  ],
  [
    'usage cost',
    'usage|bill|bills|charge so far|charges|spent|spend so far|cost breakdown|most expensive|so far|costs by|cost by|this month|last month|cost|costs|month to date|cost explorer|consumed|consumption|have we spent|did we spend|money go|what we spent|billing|cost report|cost management|billing report|forecast|end of the month|owe|expenses|how much have|what am i paying|what are we paying|paying|abrechnung|kosten|verbrauch|verbraucht|verbrauchen|ausgegeben|ausgaben|diesen monat|dieser monat|letzten monat|bisher|aufgelaufen|aufgelaufene|kostenübersicht|monatskosten|nutzung|hochrechnung|kostenaufstellung|schulde|bezahle|zahlen wir|zahle ich|kostenaufschlüsselung|teuersten',
  ],
  [
    'budget',
    'budget|budgets|cost alert|cost alerts|cost alarm|money runs out|money is gone|before the money|kosten im griff|costs under control|monthly ceiling|monthly cap|monthly limit|monatliche grenze|monatliches limit|spending restriction|spending guard|spend limit|cost alarms|spending alert|spending alarm|spending cap|spending caps|spending limit|spending limits|spend|spending|money is used up|monthly spending|spend over|cost limit|cost cap|spend more|never spend|billing alarm|billing alert|billing alerts|aws budgets|cost threshold|spending threshold|bill limit|ceiling on ~ spend|cap on ~ spend|limit on ~ bill|surprise bill|overspend|overspending|not exceed|too expensive ~ alert|bill ~ exceed|costs ~ exceed|costs ~ reach|bill ~ explode|budgetgrenze|kostenlimit|ausgabenlimit|kostengrenze|rechnungsgrenze|kostenwarnung|kostenalarm|ausgabengrenze|budgetwarnung|kostendeckel|kostenobergrenze|ausgabenobergrenze|nicht mehr als ~ ausgeben|rechnungslimit|monatsbudget|kosten begrenzen|ausgaben begrenzen|kosten deckeln',
  ],
  [
    'budget +set',
    'cap my|cap our|warn me|limit my|limit our|block new|let me spend|alert me|do not exceed|don t let|never spend|never spend more|make sure ~ spend|notify ~ costs|notify ~ spend|alert ~ costs|warn ~ costs|warn ~ spending|mail ~ costs|email ~ costs|warne mich|warnen wenn|benachrichtige ~ kosten|höchstens ~ ausgeben|maximal ~ ausgeben|wenn ~ kosten|stop ~ spend|protect ~ bill|refuse ~ cost|avoid ~ bill',
  ],
  [
    'member role',
    'member|members|user|users|people|person|team|team members|colleague|colleagues|admin|admins|who has access|who is logged into|who can log into|who has a login|who can sign in|wer hat ~ zugriff|wer hat ~ zugang|who ~ access|logins|two factor turned on|zwei faktor|employee|employees|staff|coworker|teammate|iam users|iam|who can log in|roles|role|persons|mfa|two factor|who is in|owners|mitglied|mitglieder|benutzer|nutzer|personen|leute|kollege|kollegen|mitarbeiter|wer hat zugriff|wer hat zugang|rollen|rolle|administratoren|teammitglieder|wer gehört|wer darf',
  ],
  [
    'api key',
    'api key|api keys|token|tokens|api token|api tokens|access token|credential|credentials|api credential|access key|access keys|personal access token|secret key|service account key|bearer token|ci token|key id|last used|apikey|api schlüssel|api zugang|zugangsschlüssel|zugriffsschlüssel|apischlüssel|zugangstoken',
  ],
  ['key', 'key|keys|schlüssel'],
  [
    'key denial',
    'denial|denials|blocked api calls|blocked calls|blocked requests|blocked api|api calls ~ blocked|refused|denied|forbidden|permission denied|rejected|blocked because|turned away|403|401|access denied|unauthorized|not authorized|lack of permission|missing permission|missing permissions|missing right|permission error|permission errors|authorization error|authorization errors|auth error|auth errors|zugriffsfehler|berechtigungsfehler|insufficient permissions|insufficient permission|key ~ refused|call ~ refused|requests ~ rejected|requests ~ blocked|calls ~ blocked|abgelehnt|abgelehnte|abgelehnten|verweigert|verweigerte|zurückgewiesen|abgewiesen|abgewiesene|fehlende rechte|fehlende berechtigung|fehlendes recht|keine berechtigung|zugriff verweigert|not permitted',
  ],
  [
    'ip allowlist',
    'allowlist|whitelist|whitelisted|ip whitelist|allowed source|allowed sources|ip filter|ip restriction|ip restrictions|office address|office ip|office ~ api|büro ~ api|call from|may use the api|ip range|source address|source addresses|source ip|which addresses may|which ips may|which ip addresses may|which networks may|api access from|allowed to call the api from|allow list|erlaubte adressen|erlaubte ips|ip beschränkung|ip einschränkung|ip freigabe|ip liste|zugelassene adressen|zugriff auf die api|von welchen adressen|von wo|positivliste|erlaubte ip|freigegebene adressen|welche ips dürfen|welche ips ~ api|welche adressen dürfen|büro ip',
  ],
  [
    'audit entry log',
    'audit|audit trail|audit log|audit logs|security log|compliance|change history|who changed|who deleted|who did|who stopped|who created|who restarted|who removed|who touched|who used|who uses ~ key|who approved|who ordered|who started|who attached|who detached|who renamed|who granted|wer benutzt|wer benutzte|wer nutzte|find out who|figure out who|who was it|wer war das|who is behind|wer steckt|who is to blame|who opened|who made|who modified|who resized|who shut|who rebooted|who is responsible|who has changed|who has deleted|culprit|cloudtrail|lookup events|activity logs|access log|log of changes|trail|iso 27001|auditor|forensic|prüfprotokoll|protokoll|änderungsprotokoll|wer hat|wer war|auditprotokoll|nachvollziehen|revision|prüfpfad|änderungshistorie|wer löschte|revisionssicher|auditlog|änderungsverlauf',
  ],
  [
    'audit event',
    'what changed|what has changed|was hat sich geändert|was wurde geändert|recent changes to|changes to the|changes on the|what was changed|was sich geändert hat',
  ],
  [
    'webhook event? +create?',
    'know when|tell me when|told when|want to know when|let me know when|let us know|bescheid sagen|bescheid geben|bescheid bekommen|informiert werden|be informed|be told|get told|mitbekommen wenn|wissen wenn',
  ],
  ['event? operation?', 'went wrong|go wrong|goes wrong|schiefgegangen|schief gegangen'],
];
