import { ClosedGate } from '../contracts/gate';
import { type Records } from './records';
import { accountHash } from './take-key';

/** The record that holds back an account's submits. */
export interface GateRecord {
  /** Undefined where submits may go out. */
  read(): Promise<ClosedGate | undefined>;
  close(gate: ClosedGate): Promise<void>;
  open(): Promise<void>;
}

export function createGateRecord(records: Records, account: string): GateRecord {
  const key = `accounts/${accountHash(account)}/gate`;
  return {
    async read() {
      const record = await records.read(key);
      return record === undefined || record === null ? undefined : ClosedGate.parse(record);
    },
    close: (gate) => records.replace(key, gate),
    open: () => records.replace(key, null),
  };
}
