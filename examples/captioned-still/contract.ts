import type { GenerateInput } from 'dailies/contracts/workflows';

/** Names the queues of this worker, beside Dailies' own. */
export const WORKER_NAME = 'captioned-stills';

/** A picture and the text that goes below it, as tasks that were checked and put into the store. */
export interface CaptionedStillInput {
  /** Names the page and the two tasks. */
  readonly id: string;
  readonly storeId: string;
  readonly picture: GenerateInput;
  readonly caption: GenerateInput;
  /** Folder that the page is written to. */
  readonly folder: string;
}

export interface CaptionedStill {
  /** Path of the page. */
  readonly page: string;
  /** What the two tasks were charged, by the ledger. */
  readonly credits: number;
}

/** The activity of one's own. */
export interface PageActivities {
  /** Writes a page with the picture and its caption. Writing it twice leaves the same page. @returns its path. */
  readonly writePage: (input: {
    readonly id: string;
    readonly folder: string;
    readonly picture: string;
    readonly caption: string;
  }) => Promise<string>;
}
