/** The tariff of the default catalogue, for tests of prices that need no app. */

import type { Tariff } from '../money/prices/tariff.ts';
import { pricedTypes } from '../money/prices/types/table.ts';
import { demoProvider } from '../provider/demo.ts';

export const demoTariff: Tariff = { catalogue: demoProvider().catalogue, types: pricedTypes };
