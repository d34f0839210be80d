import {
  type Accepted,
  type Answered,
  Intent,
  type LedgerDecision,
  type Pruned,
  type Refused,
  type Sent,
  Settled,
  TaskOwner,
  type Unclear,
} from './ledger-records';
import { type TakeOutput } from '../../contracts/activities';
import { numbersOf, type Records } from '../records';
import { claimOf, createLedgerSearch, type LedgerSearch, type TaskAtGateway } from './ledger-search';
import { createReadTake } from './read-take';
import { shotFolder, type TakeAddress, takeFolder } from './take-address';
import { type TakeHistory } from './take-history';
import { TakeMismatch } from './take-mismatch';

/**
 * A take as its writer knows it. If `takeKey` is given, nothing is written when the ledger has another take at the
 * address.
 */
export interface WrittenTake extends TakeAddress {
  readonly takeKey?: string;
}

/** The outcome of one sending. */
export type SendingEnd =
  | { readonly kind: 'answered'; readonly record: Answered }
  | { readonly kind: 'accepted'; readonly record: Accepted }
  | { readonly kind: 'refused'; readonly record: Refused }
  | { readonly kind: 'unclear'; readonly record: Unclear }
  /** A second task was accepted for the take. For example, its answer came after a person had adopted another task. */
  | { readonly kind: 'also-accepted'; readonly record: Accepted };

/**
 * Records of what was about to be sent, what was accepted and what was charged. All but `output` are written once.
 *
 * The ledger, not a retry policy, keeps a take from being sent twice: `beginSending` creates `sent-n` exclusively, and
 * only the process that creates it may send. Every write is flushed before it returns.
 *
 * Except for `intend` and `claimTask`, every write throws TakeMismatch if the take's intent is missing or belongs to
 * another take. A restored ledger may lack a take that a running workflow knows.
 */
export interface Ledger extends LedgerSearch {
  /** All takes of a shot, in ascending order of their numbers. @throws as `take` does, if any take is unreadable. */
  takes(productionId: string, shotId: string): Promise<readonly TakeHistory[]>;
  /**
   * Undefined if the take has no records. A lost or unreadable `sent` record is null.
   *
   * @throws UnreadableRecord or ZodError if another record is unreadable, or if the intent is missing. Then nothing may
   *   be sent.
   */
  take(address: TakeAddress): Promise<TakeHistory | undefined>;
  /** Claims the address for a new take. False if the address is taken. */
  intend(address: TakeAddress, intent: Intent): Promise<boolean>;
  /** Claims the right to make sending n. False if another attempt has claimed it. */
  beginSending(address: WrittenTake, n: number, sent: Sent): Promise<boolean>;
  /** Records the outcome of sending n. False if an outcome of this kind is recorded already. */
  endSending(address: WrittenTake, n: number, end: SendingEnd): Promise<boolean>;
  /** Records a decision under its number. False if the number is taken. */
  decide(address: WrittenTake, n: number, decision: LedgerDecision): Promise<boolean>;
  /** Claims a task for a take. @returns the first take that claimed the task. */
  claimTask(address: TakeAddress, task: TaskAtGateway): Promise<TakeAddress>;
  /** Records how the task ended. @returns the end in force, which is the first that was recorded. */
  settle(address: WrittenTake, settled: Settled): Promise<Settled>;
  /** @param taskId null for a person's own clip. */
  noteOutput(address: WrittenTake, taskId: string | null, output: TakeOutput): Promise<void>;
  /** Records that the bytes of a take's output are about to be removed. */
  notePruned(address: WrittenTake): Promise<void>;
  /** A view for a process that shows takes again and again. It reads a take again only if the take may have changed. */
  remembering(): LedgerView;
}

/** The methods that a process needs to show takes. */
export type LedgerView = Pick<Ledger, 'shots' | 'numbers' | 'take'>;

export function createLedger(records: Records): Ledger {
  const search = createLedgerSearch(records);
  const take = createReadTake(records);

  /**
   * Throws if the intent is missing or belongs to another take. An intent never changes, so the check still holds when
   * the write follows.
   */
  async function checkTake({ productionId, shotId, take: number, takeKey }: WrittenTake): Promise<void> {
    const address = { productionId, shotId, take: number };
    const intent = await records.read(`${takeFolder(address)}/intent`);
    const found = Intent.shape.takeKey.safeParse((intent as Partial<Intent> | null | undefined)?.takeKey).data;
    if (intent === undefined || (takeKey !== undefined && found !== takeKey)) throw new TakeMismatch(address, found);
  }

  return {
    ...search,
    take,
    async takes(productionId, shotId) {
      const numbers = await search.numbers({ productionId, shotId });
      const histories = await Promise.all(numbers.map((number) => take({ productionId, shotId, take: number })));
      return histories.filter((history) => history !== undefined);
    },
    intend: (address, intent) => records.create(`${takeFolder(address)}/intent`, intent),
    async beginSending(address, n, sent) {
      await checkTake(address);
      return records.create(`${takeFolder(address)}/sent-${n}`, sent);
    },
    async endSending(address, n, end) {
      await checkTake(address);
      return records.create(`${takeFolder(address)}/${end.kind}-${n}`, end.record);
    },
    async decide(address, n, decision) {
      await checkTake(address);
      return records.create(`${takeFolder(address)}/decision-${n}`, decision);
    },
    async claimTask({ productionId, shotId, take: number }, { account, taskId, model }) {
      const owner = { productionId, shotId, take: number };
      const key = claimOf({ account, taskId, model });
      return (await records.create(key, owner)) ? owner : TaskOwner.parse(await records.read(key));
    },
    async settle(address, settled) {
      await checkTake(address);
      const key = `${takeFolder(address)}/settled`;
      return (await records.create(key, settled)) ? settled : Settled.parse(await records.read(key));
    },
    async noteOutput(address, taskId, output) {
      await checkTake(address);
      await records.replace(`${takeFolder(address)}/output`, { ...output, taskId, at: new Date().toISOString() });
    },
    async notePruned(address) {
      await checkTake(address);
      const folder = takeFolder(address);
      const n = (numbersOf(await records.list(folder), 'pruned').at(-1) ?? 0) + 1;
      await records.create(`${folder}/pruned-${n}`, { at: new Date().toISOString() } satisfies Pruned);
    },
    remembering: () => ({
      ...search,
      numbers: rememberedNumbers(records, search),
      take: createReadTake(records, new Map()),
    }),
  };
}

/** Lists the takes of a shot again only if the version of the shot's folder has changed or is unknown. */
function rememberedNumbers(records: Records, search: LedgerSearch): LedgerSearch['numbers'] {
  const known = new Map<string, { readonly version: string; readonly numbers: readonly number[] }>();
  return async (shot) => {
    const folder = shotFolder(shot);
    const version = await records.versionOf?.(folder);
    const last = known.get(folder);
    if (version !== undefined && last?.version === version) return last.numbers;
    const numbers = await search.numbers(shot);
    if (version !== undefined) known.set(folder, { version, numbers });
    return numbers;
  };
}
