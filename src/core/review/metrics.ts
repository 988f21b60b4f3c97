export { addMetrics, noMetrics } from '../agent/meter.ts';
