import { describeMatrix } from './matrix.ts';

describeMatrix('40 findings');
