import { describeMatrix } from './matrix.ts';

describeMatrix('one finding');
