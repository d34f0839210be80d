export { proposeChoice } from './choose';
export { proposeEdit } from './edit';
export { type KnownProduction, knownProduction, knownShot } from './known-production';
export { type Proposal, type ProposalContext } from './proposal';
export { proposeRetake, type Retake } from './retake';
export { listTakes } from './list-takes';
