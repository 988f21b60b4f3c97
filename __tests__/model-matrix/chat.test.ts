import { chat } from './adapters.ts';
import { faultMatrix } from './matrix.ts';

for (const adapter of chat) faultMatrix(adapter);
