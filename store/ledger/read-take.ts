import {
  Accepted,
  Answered,
  Intent,
  LedgerDecision,
  NotedOutput,
  Pruned,
  Refused,
  Sent,
  Settled,
  Unclear,
} from './ledger-records';
import { numbersOf, type Records, UnreadableRecord } from '../records';
import { sendingNumbers, TAKE_RECORD, type TakeAddress, takeFolder } from './take-address';
import { currentOutput, type Sending, type TakeHistory } from './take-history';
import { IntentMissing } from './take-mismatch';

/** The part of a take that changes only if records are added. */
type WrittenOnce = Omit<TakeHistory, 'output' | 'pruned'>;

interface RememberedTake {
  /** The names of the take's records, sorted and joined. */
  readonly names: string;
  readonly written: WrittenOnce;
  /**
   * The whole take, valid while the take's folder has this version. Absent if the version is unknown, or if the take
   * reuses the output of another take.
   */
  readonly whole?: { readonly version: string; readonly history: TakeHistory };
}

/** Takes that were read before, by folder. */
export type TakeMemory = Map<string, RememberedTake>;

/** Limits memory to some 10 MB. */
const MOST_REMEMBERED = 5_000;

/**
 * Undefined if the take has no records. A lost or unreadable `sent` record is null.
 *
 * @throws UnreadableRecord or ZodError if another record is unreadable, or if the intent is missing.
 */
export type ReadTake = (address: TakeAddress) => Promise<TakeHistory | undefined>;

/**
 * @param memory earlier reads. A take whose folder has the same version is not read again. If the version has changed,
 *   or the store has no versions, records that never change are read again only if records were added.
 */
export function createReadTake(records: Records, memory?: TakeMemory): ReadTake {
  async function take(address: TakeAddress): Promise<TakeHistory | undefined> {
    const folder = takeFolder(address);
    const known = memory?.get(folder);
    // Read the version before the records: a change during the read then gives the folder another version.
    const version = memory && (await records.versionOf?.(folder));
    if (version !== undefined && known?.whole?.version === version) return known.whole.history;
    const names = (await records.list(folder)).filter((name) => TAKE_RECORD.test(name));
    // A crash may leave an empty folder. Records without an intent may belong to a take that was paid for.
    if (names.length === 0) return undefined;
    if (!names.includes('intent')) throw new IntentMissing(`${folder} has records of a take, and lacks its intent`);
    const read = (name: string): Promise<unknown> =>
      names.includes(name) ? records.read(`${folder}/${name}`) : Promise.resolve(undefined);
    const key = names.toSorted().join();
    const [written, output, pruned] = await Promise.all([
      known?.names === key ? known.written : readWritten(address.take, names, read),
      read('output'),
      read(`pruned-${numbersOf(names, 'pruned').at(-1) ?? 1}`),
    ]);
    const { alias } = written.intent;
    const isAlias = output === undefined && alias !== undefined;
    const history = { ...written, ...(isAlias ? await outputOfAlias(alias) : storedOutput(output, pruned)) };
    const whole = version === undefined || isAlias ? {} : { whole: { version, history } };
    if (memory !== undefined) remember(memory, folder, { names: key, written, ...whole });
    return history;
  }

  /** The output of the take that an alias reuses. */
  async function outputOfAlias(address: TakeAddress): Promise<StoredOutput> {
    const paid = await take(address);
    const output = paid && currentOutput(paid);
    return { ...(output && { output }), ...(paid?.pruned && { pruned: paid.pruned }) };
  }
  return take;
}

function remember(memory: TakeMemory, folder: string, take: RememberedTake): void {
  // Do not remember an unreadable record, since it may be readable the next time.
  if (take.written.sendings.some(({ sent }) => sent === null)) return;
  memory.delete(folder);
  memory.set(folder, take);
  const [oldest] = memory.keys();
  if (memory.size > MOST_REMEMBERED && oldest !== undefined) memory.delete(oldest);
}

async function readWritten(
  take: number,
  names: readonly string[],
  read: (name: string) => Promise<unknown>,
): Promise<WrittenOnce> {
  const numbers = numbersOf(names, 'decision');
  const [intent, settled, sendings, decisions] = await Promise.all([
    read('intent').then((record) => Intent.parse(record)),
    read('settled'),
    Promise.all(sendingNumbers(names).map((n) => readSending(read, n))),
    Promise.all(numbers.map((n) => read(`decision-${n}`))),
  ]);
  return {
    ...{ take, intent, sendings },
    decisions: decisions.map((decision) => LedgerDecision.parse(decision)),
    ...((numbers.at(-1) ?? 0) === decisions.length ? {} : { decisionNumbers: numbers }),
    ...(settled === undefined ? {} : { settled: Settled.parse(settled) }),
  };
}

type StoredOutput = Pick<TakeHistory, 'output' | 'pruned'>;

/** The take's own output. If the output was recorded after the prune, its bytes have been collected again. */
function storedOutput(noted: unknown, prunedRecord: unknown): StoredOutput {
  if (noted === undefined) return {};
  const output = NotedOutput.parse(noted);
  const pruned = prunedRecord === undefined ? undefined : Pruned.parse(prunedRecord);
  return pruned === undefined || output.at > pruned.at ? { output } : { output, pruned };
}

async function readSending(read: (name: string) => Promise<unknown>, n: number): Promise<Sending> {
  const [sent, answered, accepted, refused, unclear, alsoAccepted] = await Promise.all([
    read(`sent-${n}`).catch(nullIfUnreadable),
    read(`answered-${n}`),
    read(`accepted-${n}`),
    read(`refused-${n}`),
    read(`unclear-${n}`),
    read(`also-accepted-${n}`),
  ]);
  return {
    n,
    sent: sent == null ? null : Sent.parse(sent),
    ...(answered === undefined ? {} : { answered: Answered.parse(answered) }),
    ...(accepted === undefined ? {} : { accepted: Accepted.parse(accepted) }),
    ...(refused === undefined ? {} : { refused: Refused.parse(refused) }),
    ...(unclear === undefined ? {} : { unclear: Unclear.parse(unclear) }),
    ...(alsoAccepted === undefined ? {} : { alsoAccepted: Accepted.parse(alsoAccepted) }),
  };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof UnreadableRecord) return null;
  throw error;
}
