import { describeWorlds, openHomes } from './suite.ts';

describeWorlds(openHomes(), 1001, 1000);
