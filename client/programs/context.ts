import { type FileValuePolicy } from '../../contracts/file-values';
import { type PriceTable } from '../../contracts/price-table';
import { type Quotes, type Store } from '../../store';
import { type DailiesClient } from '../dailies-client';

/** What a program says of the account and the store that it works with; a worker's configuration has all of it. */
export interface ProgramConfig extends FileValuePolicy {
  /** Whose credits; the same as the workers'. */
  readonly account: string;
  /** The folder that the workers share. */
  readonly storeFolder: string;
  /** For tasks of which the ledger has no charge yet. Default: none. */
  readonly prices?: PriceTable;
  readonly ffmpegPath?: string;
  /** False if the workers have no secret to sign notices with. Default: they may have one. */
  readonly signsNotices?: boolean;
}

/** What all that a program can ask for stands on. */
export interface ProgramContext {
  readonly config: ProgramConfig;
  readonly store: Store;
  readonly client: DailiesClient;
  readonly quotes: () => Quotes;
  /** Whether any worker serves this account and store. */
  readonly hasWorker: () => Promise<boolean>;
  /** Says once where what was begun, or is waited for, would wait for ever. */
  readonly tellOfNoWorker: () => Promise<void>;
}
