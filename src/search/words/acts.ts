/** What people want to do, in English and German. The laws check that some operation offers each act. */
import type { Table } from '../phrases.ts';

export const acts: Table = [
  // Reasons for a wish, which are not the wish.
  [
    'cost',
    'save money|saving money|save cost|save costs|saving costs|cut cost|cut costs|geld sparen|kosten sparen|kosten senken|reduce cost|reduce costs|reduce our bill|lower ~ bill|reduce ~ bill',
  ],
  [
    '+create',
    'create|subscribe|spawn|make|add|build|launch|spin up|provision|order|buy|rent|set up|setup|deploy|generate|register|store|upload|' +
      'import|start a new|bring up|get me|allocate|stand up|fire up|instantiate|take|establish|define|produce|' +
      'roll out|save|introduce|insert|run instances|run instance|capture|put in place|begin using|clone|duplicate|' +
      'copy|open a new|put up|creation|hire|lease a|reserve|turn ~ into|convert',
  ],
  [
    '+create',
    'erstellen|erstelle|anlegen|lege ~ an|leg ~ an|erzeugen|einrichten|richte ~ ein|hinzufügen|' +
      'füge ~ hinzu|bestellen|mieten|buchen|aufsetzen|setze ~ auf|setz ~ auf|hochziehen|machen|mach|bauen|' +
      'aufbauen|bereitstellen|stelle ~ bereit|hochladen|lade ~ hoch|hinterlegen|importieren|registrieren|klonen|kopieren|' +
      'duplizieren|erstellung|eintragen|abspeichern|anfertigen|reservieren|zulegen|generieren|ausrollen|starte ~ neuen|' +
      'aufnehmen|umwandeln|verwandeln|konfigurieren',
  ],
  [
    '+delete',
    'delete|destroy|terminate|remove|get rid|tear down|drop|throw away|throw out|throw|kill|erase|forget|clean up|purge|discard|' +
      'trash|disband|ditch|toss|deprovision|undeploy|evict|clear out|clear|clear up|sweep|prune|take down for good|give up|give back|end the|decommission|dispose|nuke|wipe out|retire|scrap|rm|del|uninstall|cleanup|deregister|unregister|do away|abandon|discontinue|phase out|wind down|put an end to|eliminate|' +
      'no longer need|don t need ~ anymore|not needed|unneeded|not need|obsolete|lift ~ entirely|tidy up|shred|dissolve|deletion|removal',
  ],
  [
    '+delete',
    'löschen|lösche|entfernen|wegschmeißen|schmeiß ~ weg|wegtun|entsorgen|rausnehmen|entferne|wegwerfen|werfe ~ weg|wirf ~ weg|loswerden|kündigen|zerstören|abräumen|vernichten|' +
      'beseitigen|aufräumen|abbauen|baue ~ ab|wegmachen|mach ~ weg|weg damit|nicht mehr gebraucht|brauche ~ nicht mehr|nicht mehr brauche|' +
      'nicht mehr benötigt|auflösen|verwerfen|wegnehmen|stilllegen|austragen|nimm ~ raus|rauswerfen|aus ~ werfen|wirf ~ aus|rausschmeißen|kick|kick out|abschaffen|aufheben|ausmustern',
  ],
  [
    '+delete',
    'revoke|invalidate|deactivate|leaked|compromised|widerrufen|sperren|entziehen|zurückziehen|ungültig|geleakt|cut off|shut out|expel|lock out',
  ],
  [
    '+list',
    'list|ls|at a glance|auf einen blick|overview|enumerate|catalog|catalogue|browse|summary of|there are|do we have|do i have|' +
      'have i got|how many|display all|show all|are there|what ~ are|what ~ do you offer|offered|offer|describe|choices|options|which ones|inventory of|history',
  ],
  [
    '+list',
    'liste|auflisten|übersicht|' +
      'aufzählen|gibt es|habe ich|haben wir|wie viele|sämtliche|katalog|auswahl|überblick|anbieten|bietet',
  ],
  [
    '+list?',
    'all|every|which|available|exist|everything|existing|alle|allen|welche|welcher|welches|welchen|verfügbar|verfügbare|verfügbaren|vorhanden|vorhandene|vorhandenen|' +
      'bestehende|bestehenden|existieren',
  ],
  [
    '+get?',
    'status|one|single|particular|specific|is the|is my|is this|know|did|does|is it|has|has this|why|whether|was the|einzelne|einzelnen|einzelner|bestimmte|bestimmten|bestimmter|wissen|wann|warum|wieso|stand|zustand',
  ],
  [
    '+create?',
    'new|schedule|configure|prepare|neu|neue|neuen|neuer|neues|ziehen|brauche|brauchen|i need|need a|want a|hinzu|dazu|zusätzlich|zusätzliche|zusätzlichen',
  ],
  // Where a thing cannot be changed, another is made in its place.
  [
    '+update? +create?',
    'replace ~ with|replace ~ by|swap out|swap ~ for|swap ~ with|swap ~ key|exchange|new one|new ones|ersetze ~ durch|durch ~ ersetzen|durch ~ neuen|austauschen gegen|gegen ~ tauschen',
  ],
  ['+update?', 'make sure|ensure|sicherstellen|dafür sorgen'],
  [
    '+create',
    'want a fresh|want a brand new|need a fresh|need a brand new|get a fresh|get me a fresh|give me a fresh|brauche ~ frischen|brauche ~ frische|brauche ~ frisches',
  ],
  ['+update?', 'set|different|tag|label|mark|switch|statt|stattdessen|replace|enable|disable'],
  [
    '+get',
    'get|show|display|see|view|look|look at|look up|lookup|read|inspect|check|details|detail|detials|info|information|status of|state of|what is|' +
      'show one|by id|how big|how large|how much|tell me|give me|find|find out|fetch|watch|examine|' +
      'learn|verify|when does|when is|when was|where is|print|query|describe one|retrieve|monitor|properties|analyse|analyze|evaluate',
  ],
  [
    '+get',
    'zeigen|zeige|zeig|anzeigen|ansehen|sehen|anschauen|nachsehen|nachschauen|einsehen|lesen|auslesen|abrufen|abfragen|prüfen|überprüfen|details|einzelheiten|' +
      'infos|auskunft|wie groß|wie viel|wieviel|wie hoch|wie lange|was ist|wie ist|herausfinden|finden|suchen|' +
      'schauen|schau|auswerten|auswertung|analysieren|aufschlüsseln|ausgeben|holen|hole|kontrollieren|wo ist|wo steht',
  ],
  [
    '+update',
    'update|change|befristen|befristet|temporär|vorübergehend|ablaufen lassen|tighten|loosen|restrict|harden|relax|refine|redefine|tune|edit|modify|rename|adjust|alter|tweak|correct|reconfigure|patch|protect|turn on ~ protection|' +
      'extend|shorten|raise|lower|instead of|move ~ to another time|pause|assign ~ label|relabel|reschedule|rotate|regenerate|amend|customize|give ~ name|give ~ new name|swap|fix a|suspend|resume',
  ],
  [
    '+update',
    'ändern|ändere|verändern|umbenennen|benenne ~ um|bearbeiten|anpassen|passe ~ an|umstellen|stelle ~ um|setzen|setze|setz|festlegen|ersetzen|tauschen|austauschen|' +
      'einstellen|aktivieren|deaktivieren|umändern|korrigieren|schützen|verlängern|verkürzen|erhöhen|anheben|senken|pausieren|aussetzen|aktualisieren|umschalten|wechseln|' +
      'beschriften|markieren|erneuern|rotieren|verschieben|anderer name|anderen namen|neuen namen|neuer name',
  ],
  [
    '+start',
    'start|power on|poweron|turn on|turn ~ on|switch on|switch ~ on|boot|boot up|power up|wake|wake up|start up|startup|powered off|resume a server|' +
      'starten|starte|einschalten|schalte ~ ein|schalte ~ an|anschalten|hochfahren|fahre ~ hoch|fahr ~ hoch|anmachen|mach ~ an|booten|anwerfen|aufwecken',
  ],
  [
    '+stop',
    'stop|power off|poweroff|turn off|turn ~ off|switch off|switch ~ off|shut down|shutdown|shut ~ down|shut off|shut ~ off|halt|power down|take down|bring down|park|hibernate|deallocate|' +
      'stoppen|stoppe|anhalten|halte ~ an|ausschalten|schalte ~ aus|abschalten|schalte ~ ab|herunterfahren|fahre ~ herunter|fahr ~ runter|fahr ~ herunter|runterfahren|fahre ~ runter|ausmachen|mach ~ aus|abstellen|stilllegen über nacht',
  ],
  [
    '+restart',
    'restart|reboot|reset|power cycle|powercycle|hard reset|force reset|soft reboot|hard reboot|cycle|bounce|turn it off and on|' +
      'neustarten|neu starten|neustart|starte ~ neu|rebooten|durchstarten|neu booten|zurücksetzen|hart zurücksetzen',
  ],
  [
    '+resize',
    'resize|grow|bump|boost|bump up|step up|enlarge|expand|bigger|larger|smaller|scale|scale up|scale down|upgrade|downgrade|upsize|downsize|increase|shrink|extend|more space|more room|more ram|more memory|' +
      'more cpu|more cores|more power|more disk|double|make ~ bigger|make ~ larger|make ~ smaller|vertical scaling|change ~ size|beef up|too slow|too small|running out of space|out of space|is full|reicht nicht|nicht genug platz|platz reicht|add ~ memory|add ~ ram|add ~ cores|add ~ cpu|reduce|faster',
  ],
  [
    '+resize',
    'vergrößern|vergrößere|verkleinern|erweitern|erweitere|größer|größere|größeren|größerer|kleiner|kleinere|kleineren|skalieren|hochstufen|herunterstufen|aufrüsten|aufstocken|mehr speicher|mehr platz|' +
      'mehr ram|mehr leistung|schneller|schnellere|schnelleren|stärker|stärkere|stärkeren|leistungsfähiger|mehr power|mehr rechenleistung|mehr kerne|mehr cpu|mehr arbeitsspeicher|mach ~ größer|mache ~ größer|mach ~ kleiner|zu klein|zu langsam|ist voll|läuft voll|platz reicht nicht|wachsen|upgraden|verdoppeln|tarif wechseln|plan wechseln',
  ],
  [
    '+restore',
    'restore|roll back|roll ~ back|to yesterday|from yesterday|to last week|state of yesterday|auf gestern|von gestern|stand von gestern|rollback|revert|bring back|back to|undo|go back|recover|put back|return to|reset to|turn back|get back|rewind|' +
      'wiederherstellen|stelle ~ wieder her|wiederherstellung|zurückspielen|spiele ~ zurück|zurückrollen|zurückkehren|zurück auf|zurückdrehen|rückgängig|einspielen|zurückholen|zurück zu|zurück zum',
  ],
  [
    '+redeploy',
    'redeploy|reinstall|rebuild|wipe|start over|fresh|factory|reimage|reprovision|from scratch|clean install|clean slate|install ~ again|install ~ os|format|' +
      'neu installieren|neuinstallation|neuinstallieren|installiere ~ neu|neu aufsetzen|setze ~ neu auf|plattmachen|platt machen|mach ~ platt|frisch|frisches|frisch installieren|werkszustand|neu bespielen|von vorn|von vorne',
  ],
  [
    '+attach',
    'attach|assign|transfer|relocate|move ~ to another|move ~ between|move ~ to the|move ~ from|umziehen|umhängen|hand over|reassign|reattach|guard|shield|secure ~ with|absichern|associate|plug|plug in|join|connect|hook up|mount|apply|bind|put ~ into|put ~ in|put ~ behind|in front of|give ~ server|hang|use ~ on|associate with|into the network|' +
      'anhängen|hänge ~ an|häng ~ an|anschließen|schließe ~ an|verbinden|verbinde|zuweisen|weise ~ zu|zuordnen|ordne ~ zu|einhängen|hänge ~ ein|anbinden|binde ~ an|einbinden|anstecken|koppeln|verknüpfen|mounten|aufnehmen in|geben|gib|anwenden',
  ],
  [
    '+detach',
    'detach|von ~ nehmen|aus ~ nehmen|vom ~ nehmen|runternehmen|herausnehmen|unplug|unassign|disconnect|disassociate|unmount|take ~ off|take ~ away|take ~ out|remove ~ from|pull ~ out|out of the|off the|free up|free the|release|unlink|unbind|dissociate|stop applying|no longer apply|separate|strip ~ from|eject|remove ~ temporarily|' +
      'abhängen|hänge ~ ab|häng ~ ab|trennen|trenne|abtrennen|lösen|löse|aushängen|hänge ~ aus|abziehen|ziehe ~ ab|wegnehmen|nimm ~ weg|abkoppeln|freigeben|entkoppeln|abnehmen|rausnehmen|nehme ~ raus|nimm ~ aus|entfernen ~ von|vom server nehmen|vom server entfernen|auswerfen|abmelden',
  ],
  [
    '+cancel',
    'cancel|abort|withdraw|changed my mind|stop a running|stop a task|stop a job|call off|never mind|clicked|twice|by accident started|accidentally started|wrong button|doppelt|aus versehen gestartet|interrupt|halt a running|stop it|was a mistake|started the wrong|by mistake|stop ~ operation|stop ~ job|stop ~ task|kill ~ job|kill ~ task|' +
      'abbrechen|brich ~ ab|breche ~ ab|abbruch|zurücknehmen|stornieren|unterbrechen|stoppe ~ vorgang|stoppe ~ auftrag|versehentlich',
  ],
  [
    '+resend',
    'redeliver|resend|retry|replay|once more|send again|send ~ again|deliver again|deliver ~ again|repeat|trigger ~ again|missed|erneut senden|erneut zustellen|nochmal senden|noch einmal senden|noch mal schicken|nochmal schicken|nochmals|erneut|wiederholen|erneut schicken|erneut versuchen',
  ],
  [
    '+download',
    'download|dowload|export|pull ~ down|save ~ locally|data home|take ~ home|mit nach hause|aufs notebook|auf den laptop|auf mein notebook|auf meinen laptop|onto my|to my nas|on my nas|offsite|off site|fetch ~ file|get ~ file|herunterladen|runterladen|lade ~ herunter|lade ~ runter|exportieren|außer haus|auf meinen rechner|auf meinen computer|onto my computer|to my computer|to my laptop',
  ],
  ['+create?', 'open|öffnen|öffne|aufmachen|mach ~ auf'],
  [
    '+estimate',
    'estimate|quote|simulate|simulieren|price check|work out the cost|work out what|calculate|would cost|would ~ cost|will ~ cost|before ordering|before buying|before i order|before i buy|before creating|what if|compute the price|kalkulieren|kalkulation|berechnen|ausrechnen|schätzen|angebot|kostenvoranschlag|würde ~ kosten|würden ~ kosten|kosten würde|kosten würden|vor dem bestellen|vor der bestellung|vorab',
  ],
];
