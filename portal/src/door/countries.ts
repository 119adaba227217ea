/** Countries by their two letters (ISO 3166-1); the browser knows their names. */
const CODES =
  'AD AE AF AG AI AL AM AO AR AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FO FR GA GB GD GE GG GH GI GL GM GN GQ GR GT GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MH MK ML MM MN MO MR MT MU MV MW MX MY MZ NA NE NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PR PS PT PW PY QA RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VN VU WS XK YE ZA ZM ZW'.split(
    ' ',
  );

export function countries(): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  return CODES.map((code) => [code, names.of(code) ?? code] as const).sort((a, b) =>
    a[1].localeCompare(b[1]),
  );
}

export function guessCountry(): string {
  const region = new Intl.Locale(navigator.language).region ?? '';
  return CODES.includes(region) ? region : 'DE';
}
