import { describeTour } from './testing/tour.ts';

describeTour('docs/tour-ip-management.md');
