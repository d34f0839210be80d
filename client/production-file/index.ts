export { changedShot, type ShotChanges } from './changed-shot';
export { type CheckedProduction, type CheckedShot } from './checked-production';
export { freezeGeneration, type FrozenGeneration, type GenerationFlags } from './freeze-generation';
export { freezeProduction, frozenForm, type FrozenInStore } from './freeze-production';
export { type FileIssue, type FlagIssue, formatIssues } from './issue';
export { loadProduction, type LoadedProduction } from './load-production';
export { placeOf } from './place-of';
export { planOf, replanned } from './plan-of';
export { type FileValuePolicy } from '../../contracts/file-values';
