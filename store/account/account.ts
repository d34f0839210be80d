import { type PriceTable } from '../../contracts/money/price-table';
import { type ArbiterEpochs, createArbiterEpochs } from './arbiter-epochs';
import { closedModelGates, createGateRecord, type GateRecord, type GateClosing } from './gate-record';
import { createKeyFingerprints, type KeyFingerprints } from './key-fingerprint';
import { type AccountLimits, createAccountLimits } from './limits';
import { createQuotes, type Quotes } from './quotes';
import { type Records } from '../records';
import { createRunsHold, type RunsHold } from './runs-hold';
import { type AddressedModel, createTimedOutExecutes, type TimedOutExecutes } from './timed-out-executes';
import { createUsualTimes, type UsualTimes } from './usual-times';

/** The records of one gateway account. All workers of the account share them. */
export interface StoredAccount {
  readonly limits: AccountLimits;
  /** Epochs of the arbiter, the workflow that grants leases for submits. */
  readonly epochs: ArbiterEpochs;
  /** While closed, holds back the submits of the account. */
  readonly gate: GateRecord;
  /** While closed, holds back the submits of one model. */
  modelGate(model: AddressedModel): GateRecord;
  /** The closed gates of single models. */
  closedModelGates(): Promise<readonly GateClosing[]>;
  readonly timedOutExecutes: TimedOutExecutes;
  readonly usualTimes: UsualTimes;
  readonly keys: KeyFingerprints;
  readonly runsHold: RunsHold;
  /** Quotes from earlier charges, else from the price table. Charges are read once per kind of task. */
  quotes(table: PriceTable): Quotes;
}

export function createStoredAccount(records: Records, account: string): StoredAccount {
  return {
    limits: createAccountLimits(records, account),
    epochs: createArbiterEpochs(records, account),
    gate: createGateRecord(records, account),
    modelGate: (model) => createGateRecord(records, account, model),
    closedModelGates: () => closedModelGates(records, account),
    timedOutExecutes: createTimedOutExecutes(records, account),
    usualTimes: createUsualTimes(records, account),
    keys: createKeyFingerprints(records, account),
    runsHold: createRunsHold(records, account),
    quotes: (table) => createQuotes(records, account, table),
  };
}
