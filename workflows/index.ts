export { arbiter } from './arbiter';
export { assemble } from './assemble';
export { batch } from './batch';
export { generate } from './generate';
export { notice } from './notice';
export { production } from './production';
export { scheduledRun } from './scheduled-run';
export { shot } from './shot';
