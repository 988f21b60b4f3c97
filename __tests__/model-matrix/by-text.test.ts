import { faultMatrix } from './matrix.ts';
import { byText } from './reviewed.ts';

faultMatrix(byText);
