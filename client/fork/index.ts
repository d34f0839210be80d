export { type Fork, forkProduction } from './fork-production';
