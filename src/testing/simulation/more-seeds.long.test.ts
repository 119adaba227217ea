import { describeWorlds, openHomes } from './suite.ts';

describeWorlds(openHomes(), 501, 1500);
