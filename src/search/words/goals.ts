import { hungWords } from './sentences.ts';

/**
 * By operation: words that together mean it, although none of them names it. Each goal is a set of words in any order,
 * as people say them or as the tables translate them; `/` divides alternatives.
 */
export const goals: Readonly<Record<string, string>> = {
  getWhoami:
    'recht/rechte/berechtigung/scope api/my/meine key/token | key permission/right/allowed/expire/expiry/valid/work | which key use/using | welche rechte/berechtigungen key',
  listMyApis:
    'key +list call/endpoint/operation/allowed | which call/operation/endpoint allowed/permitted/may',
  listResources:
    'forgotten/vergessene/vergessen/forgot running/resource/vm/nothing/anything/still | find/search/suchen thing/something/etwas name/label | forgotten resource/thing | unused/orphaned/leftover everything/resource/thing | label everything/thing/resource',
  listLimits:
    'how/wie many/viele may/darf/can/left/noch/allowed | how many may/can/allowed/left/dürfen/darf | another/more vm can/allowed why/not | maximum/höchstens/maximal number/anzahl | close/near cap/limit',
  getOperation:
    'wait/poll/until ready/done/finished/fertig | still/noch running/läuft operation | succeed/successful/erfolgreich operation',
  listOperations:
    'running/laufende/current/pending/failed operation | still/noch booting/starting/creating/restoring/copying | right/gerade now/läuft happening/going/los',
  cancelOperation:
    '+cancel resize/creation/restore/backup/operation | wrong started stop | withdraw approval/request | stop running operation',
  listEvents:
    'what happened/changed/passiert today/yesterday/overnight/night/recently/gestern/nacht | live/real follow/stream/verfolgen',
  setWebhook:
    'slack/message/nachricht/teams/discord/chat when/whenever/wenn/sobald/if | tell/inform/notify/ping/call url/endpoint/system/slack/chat/https/us when/if/change/event | rotate/renew secret webhook | events slack/url/endpoint/https | disable/enable/pause webhook',
  deleteWebhook:
    'not/don/stop/no send/sending/schicken/notify event/notification/message/webhook | stop post/posting/send/sending/calling url/endpoint/event/notification | stop/unsubscribe/end send/sending/notification/message/callback/webhook/notifying | no more/longer notification/callback/webhook',
  listWebhookDeliveries:
    'webhook failed/failing/nothing/received/arrive/broken/error | why webhook | debug webhook',
  redeliverWebhook:
    'again/erneut/nochmal webhook/notification/message/event/callback/delivery | lost/missing notification/message/event again/push/send | +resend webhook/event/message/delivery/notification/callback | missed webhook/message/event',
  listPrices: 'cost gigabyte/gb/hour/stunde | how much/expensive +get price | price list/product',
  estimatePrice:
    'compare price/plan/cost/cheaper/size | cheaper plan/size/smaller | would/würde/wäre cost/price/expensive/kosten/teuer | cost before order/create/buy/start | compare price/cost configuration/option/plan',
  getUsage:
    'cost project/projekt/team/label/department/abteilung/kunde/tag | gesamt/total/overall cost | which/who/what most/highest/biggest/largest spend/cost/expensive/pay/charged | most expensive/teuerste vm/resource | cost/bill high/higher/jump/grown/rise/why | pay/paying/spent month/so/monat | forecast/expected bill/cost/month | split/break cost team/project/label | where money',
  listBudgets: 'budget used/left/remaining/übrig',
  setBudget:
    'stop/no/keine surprise/surprises/überraschung bill/invoice/cost/rechnung | stop/prevent/keep/verhindern expensive/teuer/much create/creating/stuff/ordering/bestellen/spend | cost/spend throttle/control/bremsen/under/runaway/contain/eindämmen/griff | euro/dollar/eur/money allowance/pocket/limit/cap/most/maximal/monthly/month | warn/alert/notify/mail/email/warnen/alarm cost/bill/budget/spend/money | never/not/avoid/prevent spend/bill/exceed/surprise | stop/block/refuse spend/cost/budget new | cap/limit/ceiling/deckeln cost/bill/spend/budget | raise/lower/increase/erhöhen/senken budget',
  deleteBudget: 'lift/drop/end budget/cap | no longer limit budget/spend',
  listMembers: 'who access/login/admin/zugriff/zugang | mfa/2fa who/member/without',
  revokeApiKey:
    'leaked/stolen/compromised/gestohlen/exposed/lost/github key/token | key/token stop/block/disable/invalidate/lock | laptop stolen key/token',
  getApiKey: 'when key used/expire | permission other/that key | api key one/detail/id',
  listApiKeys: 'which key/token expire/old/stale/unused/rotated',
  listKeyDenials:
    'why refused/denied/fail/failing/403 call/request/script/key | missing permission/right | script/ci denied/403/forbidden',
  getIpAllowlist:
    'which ip/address/network may/can/allowed/dürfen api/call | ip allowed/erlaubt api | lock/restrict/einschränken api ip | office ip/address api/allowed',
  listAuditEntries:
    'who killed/destroyed/terminated/restarted/rebooted/resized/detached/attached/touched/restored/changed/deleted/stopped/created/did/made/removed/opened/gelöscht/geändert/gestoppt/wer | change log/history made | wer hat gelöscht/geändert/gestoppt/ausgeschaltet',
  listVpsLocations:
    'where run/host/put/place/located/stehen/stand vm/data | eu/germany/europe/deutschland/frankfurt which/can/possible',
  listVpsPlans:
    'cheapest/smallest/biggest/largest/günstigste vm/plan | gb ram which/plan/package | capacity/available plan/size/big',
  listVms:
    'what/which/anything/was running/up/online/läuft now/right/currently/gerade/moment/jetzt | which vm running/stopped/idle/off/laufen | find vm called/named/name | how many vm running/have',
  createVm:
    'move/migrate/bring wordpress/website/app/site/application/shop | copy of vm | clone/copy/duplicate/klonen/kopieren vm | vm from backup/snapshot/image new/create | test/dev/staging/web/database/game/mail vm +create | host/run website/blog/app/application/site/minecraft',
  getVm:
    'ip/address vm which/welche/what/hat | ip/address vm what/which/find/show | vm up/online/running is | memory/ram/cores vm how/has/have | vm detail/status/state/one',
  updateVm:
    'note/notes/comment/beschreibung vm | protection | +update vm name/label/description/protection/tag | protect/prevent/avoid vm delete/deletion/accidental/accidentally | rename vm | vm protection',
  deleteVm:
    'stop/end/no billing/paying/charging/pay vm | vm not/no longer/more need/needed/brauche/pay | stop paying vm completely/entirely | vm kündigen',
  redeployVm:
    'switch/swap/change/convert/put/install/umstellen/wechseln vm image/linux/ubuntu/debian/rocky/alma/fedora/windows | blank/empty/clean/leeres vm/image same/existing | reinstall/rebuild/reimage vm/image/ubuntu/debian | vm factory/fresh/clean/scratch/frisch | hacked/infected/compromised vm',
  restoreVm:
    '+restore snapshot/backup | undo/revert/rückgängig upgrade/update/change/deployment/disk | go/get/zurück back snapshot/yesterday/state | accidentally/broke/broken/kaputt update/upgrade/deleted vm',
  performVmAction: `stop/pause/suspend/halt billing/charge/charges/charging vm | pay/cost/zahlen less/weniger vm | nacht/wochenende/leerlauf/night/weekend sparen/save/aus/off vm | vm ${hungWords.join('/')}/responding/reagiert | save/stop money/paying night/weekend/idle/unused vm`,
  performBulkVmAction:
    '+stop bulk | +start bulk | +restart bulk | +stop label/staging vm/bulk | stop/off/shut/aus all/every/everything/alle/alles vm night/weekend/nacht/wochenende | vm +restart all/many/several/alle/mehrere | vm +stop all/many/several/alle/mehrere | vm +start all/many/several/alle/mehrere',
  resizeVm:
    'pay/cost/zahlen less/cheaper/weniger vm | vm slow/sluggish/overloaded/langsam more/faster/power | more/mehr ram/memory/cpu/cores/kerne/leistung | save/reduce money/cost vm smaller/plan/oversized | plan +resize/+update/change/wechseln/switch',
  resetVmPassword:
    'cannot/can/not/locked get/log/login in/root/vm password/sudo/root | forgot/lost/new/neues/vergessen/change/reset password | log/login vm cannot/not/locked password | root password',
  setVmRescue:
    'vm not/won/doesn/nicht boot/start/bootet/startet | repair/fix/reparieren vm/disk/filesystem/boot | rescue mode/system',
  setVmIso:
    'boot/starten iso | iso vm/drive/laufwerk +attach/+detach/put/insert/boot/mount/eject | eject iso | insert iso',
  createVmConsoleSession:
    'ssh/network/netzwerk not/broken/down/kaputt/cannot/can vm/console/in/login | see/screen/watch vm boot/screen/booting | console open/vm/access/öffnen',
  attachVmPublicIp:
    'second/additional/another/extra/zweite/weitere/zusätzliche ip/address vm/public | vm reachable/erreichbar internet | move/switch/transfer/umziehen public ip | failover/switchover ip/address',
  detachVmPublicIp: 'hide/isolate/remove vm internet',
  getVmMetrics:
    'vm slow/sluggish/idle/busy/overloaded/load/langsam/traffic +get/why/which/how/check | cpu/memory/disk/network usage/auslastung/graph vm | idle vm | unused/idle/underused/wasted vm which/find',
  getVmConsoleLog:
    'why vm boot/crash/crashed/start/hang | boot/kernel log/message/output | last/letzte output/ausgabe vm',
  createVmSnapshot:
    'copy/kopie before/vor update/upgrade/risky/change/änderung | able/können/möglich undo/rückgängig/revert | test/try/before/testen/vor upgrade/update/change/änderung risk/safe/sicher/undo | before upgrade/update/change/migration/deployment/risky/experiment/touching snapshot/save/state/safe/undo | freeze/save/einfrieren vm state/zustand | quick/schnell undo/rollback point | vor update/upgrade/änderung snapshot/backup/sichern',
  createVmBackup: 'back/backup vm now/jetzt/sofort | copy/kopie disk/vm outside/external/elsewhere/safe',
  createVmBackupDownload: 'backup download/link/export/local/offsite/laptop/computer/home/copy/url/outside',
  createBackupPolicy:
    'data/daten/+create nightly/daily/weekly/tägliche/nächtliche copy/kopie | backup/snapshot automatic/automatically/automatisch/automatische/automatischen/regelmäßig/regelmäßige every/each/daily/nightly/weekly/hourly/day/night/week/jede/jeden/täglich/tägliche/nachts/wöchentlich/stündlich | snapshot every/each/daily/nightly/weekly/täglich/nachts/wöchentlich/stündlich day/night/week/nacht/tag/woche/hour/+create | backup automatic/automatically/daily/nightly/weekly/night/täglich/automatisch/regularly/schedule +create/every/happen/run/back | never/nicht lose/verlieren data/daten | lose/losing/disaster data | vm backed automatically/regularly/daily',
  updateBackupPolicy:
    'too/zu many/viele backup | backup run/laufen instead/at/later/earlier/um | keep/retain/retention/aufbewahren/behalten backup more/longer/days/fewer/instead/weeks/länger/tage +update/instead/more | change/move/ändern time/hour/schedule/uhrzeit backup | pause/suspend/disable/aussetzen backup policy/schedule/automatic',
  getBackupPolicy:
    'when next/last/nächste backup | how long keep/kept/retention backup/schedule | backup policy one/detail',
  deleteBackupPolicy:
    '+stop/+delete automatic/scheduled/nightly/policy backup | no more automatic/scheduled/nightly backup',
  listVmBackups: 'deleted vm backup +list/+get',
  createImage:
    'standardise/standardize/identical/same/reuse vm setup/image | golden vm | vm template/image/vorlage +create/turn/make/into/from/as/capture/save/bake | import/upload image/qcow2/disk/vmdk | golden/own/custom image +create | same/identical vm setup/many template/image | reuse vm setup/configuration | migrate/bring vm/vmware/disk from other/onprem/provider',
  createIso:
    'install/installieren os/system/image own/offer/unsupported/exotic/not/nicht/custom/missing | upload/import iso | iso +create/url/link | pfsense/opnsense/mikrotik/bsd/windows install/own',
  createVpsSshKey:
    'key vm login/log/trust/new +create/store/add/upload | laptop/notebook new key/ssh/login | login/log without password | passwordless',
  deleteVpsSshKey: 'employee/colleague/left ssh key',
  createVpsFirewall:
    'nur/only intern/internally/internal/privat/privately/private erreichbar/reachable/accessible/zugänglich | nicht/not/never aussen/outside/internet/öffentlich/publicly erreichbar/reachable/accessible/zugänglich | block/drop/deny/blockieren everything/all/default/alles traffic/firewall/incoming | protect vm firewall/attack/traffic +create',
  updateVpsFirewall:
    'firewall rename/name/label | replace/change/update all/rule firewall | default/standard outgoing/incoming/policy/traffic firewall/rule block/drop/allow',
  getVpsFirewall:
    'which/what/welche vm firewall protect/protects/cover/covers/schützt | which port/rule open/firewall/through/allowed | firewall attached/applies/applied what/which/where | rule firewall show/+get',
  addVpsFirewallRule:
    'reach/reachable/unreachable/blocked website/port/http/https/web/ssh | nobody/only/nur reach/access database/vm/port | open/allow/expose/öffnen/freigeben port/ssh/http/https/443/80/22/ping/rdp/icmp/mysql/smtp | block/ban/deny/sperren ip/address/range/country/subnet/attacker | reach/access/connect website/web/ssh/port cannot/can/nobody | only/nur office/home/colleague/me/vpn/büro/we ssh/reach/access/connect/port/allow/login',
  removeVpsFirewallRule: 'close/schließen/lock port | revoke rule/port/ingress | rule no longer/nicht',
  attachVpsFirewall:
    'firewall all/every/alle/allen/jeden vm label/tag | protect vm firewall | firewall vm apply/use/put/assign',
  detachVpsFirewall: 'stop/without/no filter/firewall vm | firewall off vm | firewall +delete from vm',
  createVpsNetwork:
    'network between vm | vm talk/communicate/kommunizieren/reach each/other/privately/intern/internally/untereinander | private traffic/communication between vm | isolate database/backend/vm internet',
  updateVpsNetwork:
    'route/dns/nat/nameserver network change/add/set/update/via | internet/outbound vm without public/address | network rename/label/description',
  listVmInterfaces:
    'which network vm in/connected/attached/part | mac vm | private/internal ip/address vm what/which/has',
  attachVmInterface: 'second network interface/card vm | vm into network | add/join/put vm network',
  updateVmInterface:
    'alias/secondary/spoofing interface/ip/address | fixed/virtual/failover internal/private ip/address | vrrp/keepalived',
  detachVmInterface: 'vm out network | remove vm network/interface | vm leave network',
  createPlacementGroup:
    'survive/withstand/überstehen/überleben/tolerate crash/failure/outage/loss/die/ausfall/fail/breakdown | not/never/nicht/beide/both die/fail/crash/ausfallen/down together/both/gleichzeitig/same/zusammen | redundant/redundancy/ausfallsicher/ausfallsicherheit/hochverfügbar vm/database | vm latency each/other/between/together | vm separate/different/same/verschiedene hosts/hardware/host/rack/server | survive/tolerate/überleben hardware/host failure/outage/ausfall | never/not same/together/beide host/hardware/fail | high availability/hochverfügbar vm | close/near together vm latency',
  getPlacementGroup: 'which/what vm in/belong placement group | placement group one/detail',
  createVpsVolume: 'add/need/brauche/new/extra/more/zusätzlich disk/storage/space/volume/gb/speicher',
  getVpsVolume:
    'which/welcher vm has/uses/hat volume | volume attached where/which | device/path/mount volume',
  updateVpsVolume: 'volume rename/label/protect/protection/name/description/umbenennen',
  performVpsVolumeAction: 'move/umziehen volume/disk vm/another | disk/volume full/voll/space',
  createVpsVolumeSnapshot: 'save/freeze volume before',
  createVpnGateway:
    'connect/reach/access/erreichen private/internal/office network/vm from/home/outside/office/laptop/remotely/außen/zuhause | office connect/verbinden network/cloud | remote/home work/access network/vm/office',
  updateVpnGateway:
    'vpn port/dns/network change/add/another/new | rotate/renew vpn/wireguard gateway/server key',
  createVpnPeer:
    'connect/verbinden/anbinden phone/laptop/handy/notebook/tablet/smartphone network/vpn | give/grant/let/allow access/zugang/zugriff internal/private/inside/network/intern | temporary/befristet access internal/private/network | add/allow/give/let/connect laptop/phone/device/colleague/employee/office/contractor/mitarbeiter/handy vpn | vpn access/zugang +create/give/new/for | vpn new user/client/peer/device/mitarbeiter',
  updateVpnPeer:
    'vpn befristet/befristen/temporär/temporary/until/bis/limited | vpn access/peer expire/temporary/until/disable/pause/sperren/temporarily | replace/new key vpn peer/client',
  deleteVpnPeer:
    'vpn +delete peer/device/laptop/phone/user/colleague/employee/access | left/lost/stolen/verloren vpn/laptop/phone | vpn revoke/kick/block/entziehen',
  listVpnPeers:
    'who/anybody/anyone/is connected/online vpn | who/wer connected/connect/uses/using/allowed/online vpn | vpn traffic/handshake/online +list/each/who | which vpn peer/device/client',
  getVpnPeer: 'vpn peer last/seen/online/address/enabled one | peer detail/one vpn',
  getVpnPeerConfig:
    'vpn phone/iphone/android/handy/laptop qr/config/file/working/set | wireguard file/config/conf/qr/profile | vpn configuration/config/datei/qr',
  listImages:
    'have/haben/offer/gibt linux/ubuntu/debian/rocky/alma/fedora/windows/centos/suse | which/what os/image/distribution/linux/windows available/offer/install/support/can/installieren | do offer/have/support image',
  getVpnGateway:
    'public/öffentlicher key vpn gateway | vpn gateway address/public/key/port/endpoint what/+get/one',
  deleteVpnGateway: 'vpn no longer/not need/needed | shut/turn down/off vpn',
};
