/** How amounts are said. The API sends them as decimals in text: `4.919717`. */

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string, digits: number): Intl.NumberFormat {
  const name = `${currency} ${digits}`;
  const known = formats.get(name);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
  formats.set(name, made);
  return made;
}

/** "€4.92". What is more than nothing and less than a cent keeps its first digits: "€0.0117". */
export function money(amount: string | number, currency: string): string {
  const value = Number(amount);
  return formatOf(currency, value !== 0 && Math.abs(value) < 0.01 ? 6 : 2).format(value);
}

/** For the axis of a chart, where the last digits say nothing. */
export const roundMoney = (amount: number, currency: string): string =>
  money(amount, currency).replace(/\.00$/, '');
