import { describeTour } from './testing/tour.ts';

describeTour('docs/tour-support.md');
