export { cellValue } from './cell-value';
export { checkProduction, type CheckPolicy, NO_NOTIFY_SECRET } from './check-production';
export { type CheckedProduction, type CheckedShot } from './checked-production';
export { filesOf } from './files-of';
export { fallbackPath, NO_VIDEO } from './check-fallback';
export {
  openGenerationCheck,
  type GenerationCheck,
  type GenerationFinding,
  type GenerationValues,
} from './check-generations';
export { type FileIssue, type FlagIssue, formatIssues } from './issue';
export { givenText, type PlaceIssue } from './given-text';
export { checkFileText, checkGiven, loadProduction, type LoadedProduction, loadTemplate } from './load-production';
export { type Outline, outlineOf } from './outline';
export { placeOf } from './place-of';
export { type FileValuePolicy } from '../../contracts/file-values';
