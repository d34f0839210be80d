export { carryOutProposal } from './carry-out';
export { checkApproval, checkReview } from './check-review';
export { proposeChoice } from './choose';
export { proposeEdit } from './edit';
export { type KnownProduction, knownProduction, knownRender, knownShot } from './known-production';
export { type Proposal } from './proposal';
export { proposeRetake, type Retake } from './retake';
export { listTakes } from './list-takes';
