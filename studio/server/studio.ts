import { type Dailies } from '../../client/programs/dailies';
import { type FileValuePolicy } from '../../contracts/file/file-values';
import { type PriceTable } from '../../contracts/money/price-table';
import { type Quotes } from '../../store';

/** The client, configuration and environment that pages and actions use. */
export interface Studio {
  readonly dailies: Dailies;
  readonly account: string;
  readonly config: StudioConfig;
  readonly quotes: () => Quotes;
  /** Whether a worker serves the account and store. */
  readonly hasWorker: () => Promise<boolean>;
  /** Absolute path of the folder in which production files are listed and created. */
  readonly workingFolder: string;
  /** Address of Temporal's UI; null if none is served. */
  readonly temporalUi: string | null;
  /** Whether the sandbox is used instead of a gateway, so that nothing costs real money. */
  readonly isSandbox: boolean;
}

export interface StudioConfig extends FileValuePolicy {
  readonly account: string;
  readonly storeFolder: string;
  readonly prices?: PriceTable;
  readonly ffmpegPath?: string;
}
