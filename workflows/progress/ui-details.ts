import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { ShotState } from '../../contracts/manifest';
import { type GenerateInput, SEARCH_ATTRIBUTES } from '../../contracts/workflows';
import type { ProductionProgress } from './production-progress';

const SHOT_STATE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.shotState, 'KEYWORD');

/** Tells where a shot stands to whoever looks by Temporal's own means: details in its UI, and a search attribute. */
export type ShowDetails = (state: ShotState, words: string) => void;

export function openUiDetails({ task, searchable, row }: GenerateInput): ShowDetails {
  let told: ShotState | undefined;
  // Each one is an event. Of a batch's thousands of rows, people look for those that wait for them.
  const isWorthIt = (state: ShotState): boolean => row === undefined || state === 'parked' || told === 'parked';
  return (state, words) => {
    setCurrentDetails(`**${task.shotId}**: ${state}. ${words}`);
    if (searchable && state !== told && isWorthIt(state)) upsertSearchAttributes([{ key: SHOT_STATE, value: state }]);
    told = state;
  };
}

/** Of a larger production only counts are shown: it is narrated with each event, and again whenever that is replayed. */
const LISTED = 100;

/** What Temporal's own UI shows of a production. */
export function showProductionDetails(progress: ProductionProgress): void {
  const counts = progress.counts();
  const size = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (size > LISTED) {
    const parts = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
    setCurrentDetails(`**${progress.input().plan.title}**: ${parts.join(', ')}`);
    return;
  }
  const { title, state, shots, assembly } = progress.status();
  const lines = shots.map(
    ({ id, state: shotState, reason }) => `- ${id}: ${shotState}${reason === null ? '' : ` (${reason})`}`,
  );
  setCurrentDetails([`**${title}**: ${state}; film: ${assembly}`, ...lines].join('\n'));
}
