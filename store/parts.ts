import { type AssetRef } from '../contracts/asset';
import { createStoredAccount, type StoredAccount } from './account/account';
import { type Assets } from './assets';
import { type Batches, createBatches } from './batch/batches';
import { createGivenBudgets, type GivenBudgets } from './production/budgets';
import { createMeasures, type Measures } from './production/color-measures';
import { createDirecting, type Directing } from './production/directing';
import { createFilms, type Films } from './production/films';
import { createHistories, type Histories } from './production/histories';
import { createHolds, type Holds } from './production/holds';
import { createLedger, type Ledger } from './ledger/ledger';
import { createNotices, type Notices } from './production/notices';
import { createNotedOutPlaces, type NotedOutPlaces } from './production/out-places';
import { notingPrices } from './account/price-notes';
import { createProductions, type Productions } from './production/productions';
import { createPrunes, type Prunes } from './backup/prunes';
import { type Records } from './records';
import { createRestores, type Restores } from './backup/restored';
import { createSchedules, type Schedules } from './batch/schedules';
import { createScheduledRuns, type ScheduledRuns } from './batch/scheduled-runs';

/**
 * The drivers that each kind of store implements. The interfaces `Records` and `Assets` do not assume a file system.
 *
 * Source: docs/decisions/0054-store-door.md.
 */
export interface StoreDrivers {
  readonly records: Records;
  readonly assets: Assets;
  /** A local folder for scratch files, on the same file system as the assets' part files. */
  readonly scratch: string;
}

/** The contents of a store, by kind. */
export interface StoreParts {
  readonly assets: Assets;
  readonly ledger: Ledger;
  readonly productions: Productions;
  readonly batches: Batches;
  readonly schedules: Schedules;
  readonly runs: ScheduledRuns;
  readonly outPlaces: NotedOutPlaces;
  readonly notices: Notices;
  readonly holds: Holds;
  readonly directing: Directing;
  readonly budgets: GivenBudgets;
  readonly films: Films;
  readonly measures: Measures;
  readonly histories: Histories;
  readonly prunes: Prunes;
  readonly restores: Restores;
  account(account: string): StoredAccount;
  /** Stores a value's JSON as an asset, for example a frozen production. */
  putJson(value: unknown): Promise<AssetRef>;
}

export function createStoreParts({ records, assets, scratch }: StoreDrivers): StoreParts {
  return {
    assets,
    ledger: notingPrices(createLedger(records), records),
    productions: createProductions(records, assets),
    batches: createBatches(records),
    schedules: createSchedules(records),
    runs: createScheduledRuns(records),
    outPlaces: createNotedOutPlaces(records),
    notices: createNotices(records),
    holds: createHolds(records),
    directing: createDirecting(records),
    budgets: createGivenBudgets(records),
    films: createFilms(records, assets, scratch),
    measures: createMeasures(records, assets),
    histories: createHistories(records, assets),
    prunes: createPrunes(records),
    restores: createRestores(records),
    account: (account) => createStoredAccount(records, account),
    putJson: (value) =>
      assets.putBytes(Buffer.from(JSON.stringify(value)), {
        mediaType: 'application/json',
        durationSeconds: null,
        width: null,
        height: null,
      }),
  };
}
