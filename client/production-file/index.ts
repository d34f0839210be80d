export { cellValue } from './text/cell-value';
export { checkProduction, type CheckPolicy, NO_NOTIFY_SECRET } from './checks/check-production';
export { type CheckedProduction, type CheckedShot } from './checked-production';
export { filesOf } from './files-of';
export { fallbackPath, NO_VIDEO } from './checks/check-fallback';
export {
  openGenerationCheck,
  type GenerationCheck,
  type GenerationFinding,
  type GenerationValues,
  SHOTS_OWN,
} from './checks/check-generations';
export { type FileIssue, type FlagIssue, formatIssues } from './issue';
export { givenText, NOT_JSON, type PlaceIssue } from './text/given-text';
export { checkFileText, checkGiven, loadProduction, type LoadedProduction, loadTemplate } from './load-production';
export { type Outline, outlineOf } from './text/outline';
export { placeOf } from './text/place-of';
export { type FileValuePolicy } from '../../contracts/file/file-values';
