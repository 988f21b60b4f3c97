import { responses } from './adapters.ts';
import { faultMatrix } from './matrix.ts';

for (const adapter of responses) faultMatrix(adapter);
