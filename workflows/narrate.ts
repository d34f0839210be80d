import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { ShotState } from '../contracts/manifest';
import { SEARCH_ATTRIBUTES, type ShotInput } from '../contracts/workflows';

const SHOT_STATE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.shotState, 'KEYWORD');

/** Tells where a shot stands to whoever looks by Temporal's own means: details in its UI, and a search attribute. */
export function narrate({ task, searchable }: ShotInput, state: ShotState, words: string): void {
  setCurrentDetails(`**${task.shotId}**: ${state}. ${words}`);
  if (searchable) upsertSearchAttributes([{ key: SHOT_STATE, value: state }]);
}
