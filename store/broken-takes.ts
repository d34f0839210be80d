import { type Ledger, sendingNumbers, type TakeAddress, takeFolder, takeNumbers } from './ledger';
import { Intent, Settled } from './ledger-records';
import { ifReadable, type Records } from './records';
import { type TakeHistory } from './take-history';
import { IntentMissing } from './take-mismatch';

/** A take with unreadable records, and the records that can be read. */
export interface BrokenTake extends TakeAddress {
  readonly reason: string;
  /** True if the intent's record is missing. */
  readonly lacksIntent: boolean;
  readonly intent: Intent | undefined;
  readonly settled: Settled | undefined;
  /** The numbers of its sendings; 1 alone if it is unknown whether anything was sent. */
  readonly sendings: readonly number[];
}

export interface ShotTakes {
  /** In order of their numbers. */
  readonly takes: readonly TakeHistory[];
  readonly broken: readonly BrokenTake[];
}

type Place = Pick<TakeAddress, 'productionId' | 'shotId'>;

/** Reads the takes of a shot for callers that send nothing. An unreadable take does not hide the others. */
export async function readableTakes(
  { ledger, records }: { readonly ledger: Ledger; readonly records: Records },
  { productionId, shotId }: Place,
): Promise<ShotTakes> {
  const numbers = takeNumbers(await records.list(`ledger/${productionId}/${shotId}`));
  const takes: TakeHistory[] = [];
  const broken: BrokenTake[] = [];
  for (const take of numbers) {
    const address = { productionId, shotId, take };
    let reason = '';
    let lacksIntent = false;
    const read = await ifReadable(
      () => ledger.take(address),
      (error) => {
        reason = error.message;
        lacksIntent = error instanceof IntentMissing;
      },
    );
    if (read === undefined) broken.push({ ...(await whatIsLeft(records, address)), reason, lacksIntent });
    else if (read.value !== undefined) takes.push(read.value);
  }
  return { takes, broken };
}

/** The unreadable takes of a production that may belong to this account. */
export async function brokenTakes(
  store: { readonly ledger: Ledger; readonly records: Records },
  productionId: string,
  account: string,
): Promise<readonly BrokenTake[]> {
  const shots = await store.ledger.shots(productionId);
  const found = await Promise.all(shots.map((shotId) => readableTakes(store, { productionId, shotId })));
  return found.flatMap(({ broken }) => broken).filter(({ intent }) => (intent?.account ?? account) === account);
}

async function whatIsLeft(records: Records, address: TakeAddress): Promise<Omit<BrokenTake, 'reason' | 'lacksIntent'>> {
  const folder = takeFolder(address);
  const sent = sendingNumbers(await records.list(folder));
  const read = async <T>(name: string, parse: (record: unknown) => T): Promise<T | undefined> =>
    (await ifReadable(async () => parse(await records.read(`${folder}/${name}`))))?.value;
  const intent = await read('intent', (record) => Intent.parse(record));
  const settled = await read('settled', (record) => Settled.parse(record));
  return { ...address, intent, settled, sendings: intent === undefined && sent.length === 0 ? [1] : sent };
}
