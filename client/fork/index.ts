export { type Fork, forkProduction, type ForkRequest } from './fork-production';
