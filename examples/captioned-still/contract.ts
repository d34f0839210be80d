import type { GenerateInput } from 'dailies/contracts/workflows';

/** Names this worker's queues, which are separate from Dailies' own. */
export const WORKER_NAME = 'captioned-stills';

/**
 * Input of the workflow: the tasks for a picture and its caption, checked and stored by `freezeTask`, and not yet sent.
 */
export interface CaptionedStillInput {
  /** Names the page and the two tasks. */
  readonly id: string;
  readonly storeId: string;
  readonly picture: GenerateInput;
  readonly caption: GenerateInput;
  readonly folder: string;
}

export interface CaptionedStill {
  readonly page: string;
  /** Credits charged for the two tasks, from the ledger. */
  readonly credits: number;
}

export interface PageActivities {
  /** Writes a page with the picture and its caption. A retry writes the same page. @returns the page's path. */
  readonly writePage: (input: {
    readonly id: string;
    readonly folder: string;
    readonly picture: string;
    readonly caption: string;
  }) => Promise<string>;
}
