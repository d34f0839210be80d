import { type FileValuePolicy } from '../../contracts/file/file-values';
import { type PriceTable } from '../../contracts/money/price-table';
import { type Quotes, type Store } from '../../store';
import { type DailiesClient } from '../dailies/dailies-client';

/** A program's account and store. A worker's configuration has all of these fields. */
export interface ProgramConfig extends FileValuePolicy {
  /** The account that pays; the same as the workers'. */
  readonly account: string;
  /** The folder that the workers share. */
  readonly storeFolder: string;
  /** Prices for kinds of tasks that the ledger has no charge for yet. Default: none. */
  readonly prices?: PriceTable;
  readonly ffmpegPath?: string;
  /** False if the workers have no secret to sign notices with. Default: true. */
  readonly signsNotices?: boolean;
}

export interface ProgramContext {
  readonly config: ProgramConfig;
  readonly store: Store;
  readonly client: DailiesClient;
  readonly quotes: () => Quotes;
  /** Whether a worker serves this account and store. */
  readonly hasWorker: () => Promise<boolean>;
  /** Warns, at most once, if there is no worker: without one, nothing proceeds. */
  readonly tellOfNoWorker: () => Promise<void>;
}
