import { describeWorlds, openHomes } from './suite.ts';

describeWorlds(openHomes(), 251, 1750);
