import { describeMatrix } from './matrix.ts';

describeMatrix('clean');
