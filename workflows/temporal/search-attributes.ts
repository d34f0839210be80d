import type { ChildWorkflowOptions } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, type Searchable } from '../../contracts/workflows';

const PRODUCTION = defineSearchAttributeKey(SEARCH_ATTRIBUTES.production, 'KEYWORD');
const MODEL = defineSearchAttributeKey(SEARCH_ATTRIBUTES.model, 'KEYWORD');

/** The attribute that a workflow updates while it runs. */
export const SHOT_STATE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.shotState, 'KEYWORD');

/** Start options with the attributes of a shot, or of a row that is a single task. Empty unless `searchable` is set. */
export function withSearchAttributes({
  productionId,
  model,
  searchable,
}: {
  readonly productionId: string;
  readonly model: string;
  readonly searchable: Searchable;
}): Pick<ChildWorkflowOptions, 'typedSearchAttributes'> {
  if (!searchable) return {};
  return {
    typedSearchAttributes: [
      { key: PRODUCTION, value: productionId },
      { key: MODEL, value: model },
    ],
  };
}
