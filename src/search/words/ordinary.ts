/** Ordinary words that mean nothing to the API. They are known, so that no other word is guessed in their place. */
export const ordinary = (
  'two three four five six seven eight nine ten eleven twelve hundred thousand first second third last next previous half ' +
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september ' +
  'october november december morning evening night noon midnight week month year hour minute day yesterday tomorrow soon later ' +
  'early late always never often sometimes ever once twice euro euros dollar dollars cents money business office home house ' +
  'customer customers client boss friend guy guys man woman kids child school shop store website blog wiki forum game games ' +
  'good bad better best worse worst well nice great fine okay easy hard simple quick quickly slowly safe safely sure certain ' +
  'little small short long high low old young real right wrong true false empty whole part half rest side end begin middle ' +
  'sleep stale trust gave give given gives take taken came come comes coming went going gone keep kept said says say told ask ' +
  'asked answer think thought believe hope wish feel felt seem seems seen heard hear talk speak write written wrote word words ' +
  'work works worked working play played wait waiting happen turns turned tried trying try test tested testing cause reason ' +
  'problem problems trouble issue issues error errors help idea ideas question questions point points kind kinds sort sorts ' +
  'place front behind inside outside around across along among until since during except instead else even rather quite almost ' +
  'enough less least few several each either neither every both these those others maybe perhaps probably gracefully normally ' +
  'exactly currently recently finally suddenly accidentally properly manually yourself myself ourselves himself everyone anyone ' +
  'nobody everybody nothing whatever whenever somewhere company firm world country euro nginx apache mysql postgres redis docker ' +
  'wordpress nextcloud minecraft jenkins gitlab github python node java php laravel rails django production staging development ' +
  'prod demo sandbox frontend backend api app apps application code script scripts cron ansible terraform helm ' +
  'should could would might shall migrate migration former colleague leave leaves left leaving deal deals handle needs stuff bit bits ' +
  'eins zwei drei vier fünf sechs sieben acht neun zehn hundert tausend erste ersten zweite zweiten dritte letzte letzten ' +
  'nächste nächsten vorige montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz april mai juni juli ' +
  'august september oktober november dezember morgen abend nacht mittag woche monat jahr stunde minute tag gestern bald später ' +
  'früher immer nie oft manchmal einmal zweimal geld büro haus kunde kunden chef freund gut schlecht besser schnell langsam ' +
  'sicher leicht schwer einfach klein kurz lang hoch niedrig alt jung richtig falsch leer ganz ganze teil ende anfang mitte ' +
  'geben gegeben nehmen kommen gehen halten sagen fragen denken glauben hören sprechen schreiben arbeiten warten versuchen ' +
  'problem fehler hilfe frage punkt art stelle vorne hinten innen außen innerhalb außerhalb während seit bis statt sonst eher ' +
  'fast genug weniger wenige mehrere jeder jede jedes andere anderen vielleicht wahrscheinlich genau aktuell endlich plötzlich ' +
  'versehentlich selbst niemand jeder nichts firma welt seite webseite dabei davon dafür damit dazu daran darauf darin deren dessen'
).split(' ');
