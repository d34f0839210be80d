import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { ShotState } from '../../contracts/states';
import type { GenerateInput } from '../../contracts/workflows';
import { SHOT_STATE } from '../temporal/search-attributes';
import type { ProductionProgress } from './production-progress';

/** Shows a shot's state in Temporal: as details in its UI and as a search attribute. */
export type ShowDetails = (state: ShotState, words: string) => void;

export function openUiDetails({ task, searchable, row }: GenerateInput): ShowDetails {
  let lastShown: ShotState | undefined;
  // Each update of the attribute is an event. Of the thousands of rows of a batch, people search only for parked rows.
  const isWorthIt = (state: ShotState): boolean => row === undefined || state === 'parked' || lastShown === 'parked';
  return (state, words) => {
    setCurrentDetails(`**${task.shotId}**: ${state}. ${words}`);
    if (searchable && state !== lastShown && isWorthIt(state))
      upsertSearchAttributes([{ key: SHOT_STATE, value: state }]);
    lastShown = state;
  };
}

/**
 * Above this number of shots only counts are shown, since the details are computed with each event and again in
 * replays.
 */
const LISTED = 100;

/** Shows a production's state in Temporal's UI. */
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
