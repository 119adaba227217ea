/** Formats micros (millionths) as the decimal strings of the API. */
import { divide, type Micro, ONE } from '../../kernel/micro.ts';

function decimal(value: Micro, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const rounded = divide(value * scale, ONE);
  const size = rounded < 0n ? -rounded : rounded;
  const fraction = digits === 0 ? '' : `.${(size % scale).toString().padStart(digits, '0')}`;
  return `${rounded < 0n ? '-' : ''}${size / scale}${fraction}`;
}

/** A monthly price: `7.50`. */
export const formatMoney = (value: Micro): string => decimal(value, 2);

/**
 * An accrued cost: `4.00`, `0.016438`. It is exact to the last millionth, so that the shown parts add up to the
 * shown total.
 */
export const formatAmount = (value: Micro): string => decimal(value, 6).replace(/0{1,4}$/, '');

/** The price of an hour, a gigabyte or a request: `0.011000`. */
export const formatRate = (value: Micro): string => decimal(value, 6);

/** A quantity without trailing zeros: `42000`, `1.5`. */
export const formatQuantity = (value: Micro): string => decimal(value, 6).replace(/\.?0+$/, '');
