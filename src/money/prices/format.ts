/** Millionths as the decimal strings the API shows. */
import { divide, type Micro, ONE } from '../../kernel/micro.ts';

function decimal(value: Micro, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const rounded = divide(value * scale, ONE);
  const size = rounded < 0n ? -rounded : rounded;
  const fraction = digits === 0 ? '' : `.${(size % scale).toString().padStart(digits, '0')}`;
  return `${rounded < 0n ? '-' : ''}${size / scale}${fraction}`;
}

/** `7.50`: what a month costs. */
export const formatMoney = (value: Micro): string => decimal(value, 2);

/** `4.00`, `0.016438`: what was spent, to the last millionth, so that parts shown add up to the whole shown. */
export const formatAmount = (value: Micro): string => decimal(value, 6).replace(/0{1,4}$/, '');

/** `0.011000`: what an hour, a gigabyte or a request costs. */
export const formatRate = (value: Micro): string => decimal(value, 6);

/** `42000`, `1.5`: how much of it, without digits that say nothing. */
export const formatQuantity = (value: Micro): string => decimal(value, 6).replace(/\.?0+$/, '');
