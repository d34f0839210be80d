export { cellValue } from './cell-value';
export { changedShot, type ShotChanges } from './changed-shot';
export { checkProduction, type CheckPolicy, NO_NOTIFY_SECRET } from './check-production';
export { type CheckedProduction, type CheckedShot } from './checked-production';
export { filesOf } from './files-of';
export { type Finding, type Path } from './finding';
export { fallbackPath, NO_VIDEO } from './check-fallback';
export {
  openGenerationCheck,
  type GenerationCheck,
  type GenerationFinding,
  type GenerationValues,
} from './check-generations';
export { freezeGeneration, type FrozenGeneration, type GenerationFlags } from './freeze-generation';
export { assetOfJson } from './freeze-fallback';
export { fallbackForm, freezeAsWritten, freezeProduction, frozenForm, type FrozenInStore } from './freeze-production';
export { type FileIssue, type FlagIssue, formatIssues } from './issue';
export { type GivenText, givenText, type PlaceIssue } from './given-text';
export { checkText, loadProduction, type LoadedProduction, loadTemplate } from './load-production';
export { placeOf } from './place-of';
export { planOf, replanned, targetOf } from './plan-of';
export { type FileValuePolicy } from '../../contracts/file-values';
