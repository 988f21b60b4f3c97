import { faultMatrix } from './matrix.ts';
import { adapters } from './reviewed.ts';

for (const adapter of adapters.filter(({ api }) => api === 'responses')) faultMatrix(adapter);
