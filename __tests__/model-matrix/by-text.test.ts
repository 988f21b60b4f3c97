import { byText } from './adapters.ts';
import { faultMatrix } from './matrix.ts';

for (const adapter of byText) faultMatrix(adapter);
