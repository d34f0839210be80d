import { type TakeRef } from '../../contracts/render/take';
import { accountHash, hashOf } from './take-key';
import { Intent, Settled, TaskOwner } from './ledger-records';
import { ifReadable, type Records } from '../records';
import {
  LEDGER,
  sendingNumbers,
  type ShotAddress,
  shotFolder,
  TAKE_RECORD,
  type TakeAddress,
  takeFolder,
  takeNumbers,
} from './take-address';

/** Folder of the records that name the take of each task. */
export const TASKS = 'tasks';

/** Identifies a task by account, task id and the model's workflow name. */
export interface TaskAtGateway {
  readonly account: string;
  readonly taskId: string;
  readonly model: { readonly workflow?: string };
}

/** The readable records of a take that also has unreadable records. */
export interface ReadableRecords {
  readonly intent: Intent | undefined;
  readonly settled: Settled | undefined;
  /** The numbers of the take's sendings; `[1]` if it is unknown whether anything was sent. */
  readonly sendings: readonly number[];
  /**
   * The sendings that may have a charge in addition to the settled task's. Refused sendings are left out. The settled
   * sending is left out unless it has a second accepted task.
   */
  readonly besideSettled: readonly number[];
}

/** Searches the ledger, including takes whose records are lost or cut short. */
export interface LedgerSearch {
  /** The productions that have takes. */
  productions(): Promise<readonly string[]>;
  /** The shots of a production that have takes. */
  shots(productionId: string): Promise<readonly string[]>;
  /** The numbers of a shot's takes, ascending. */
  numbers(shot: ShotAddress): Promise<readonly number[]>;
  readableRecords(address: TakeAddress): Promise<ReadableRecords>;
  /**
   * True for a sent take that is not settled, was settled on that day, or may have a second task that still runs.
   *
   * @param day ISO date.
   * @throws UnreadableRecord or ZodError
   */
  mayBeOpenOrSettledOn(address: TakeAddress, day: string): Promise<boolean>;
  /** The take that has claimed a task; undefined if none has. */
  ownerOf(task: TaskAtGateway): Promise<TakeAddress | undefined>;
  /**
   * Finds a take's number by its key. Undefined if no readable intent has the key.
   *
   * @throws UnreadableRecord if the intent at the number `take.take` is unreadable.
   */
  numberOf(take: TakeRef): Promise<number | undefined>;
  /**
   * The number `take.take` if it has no records, or only records of this task; else the shot's next free number.
   */
  freeNumber(take: TakeRef, taskId: string): Promise<number>;
}

export function createLedgerSearch(records: Records): LedgerSearch {
  const numbers = async (shot: ShotAddress): Promise<readonly number[]> =>
    takeNumbers(await records.list(shotFolder(shot)));
  const readIntent = (address: TakeAddress): Promise<unknown> => records.read(`${takeFolder(address)}/intent`);

  /**
   * True if a take has no intent and its records belong to this task. Its records of answers, acceptances, end and
   * output (at least one) must all name this task. Every sending must have an answer or acceptance.
   */
  async function belongsToTask(take: TakeAddress, names: readonly string[], taskId: string): Promise<boolean> {
    if (names.includes('intent')) return false;
    const idIn = async (name: string): Promise<unknown> => {
      const read = await ifReadable(() => records.read(`${takeFolder(take)}/${name}`));
      return (read?.value as { readonly taskId?: unknown } | null | undefined)?.taskId;
    };
    const naming = names.filter((name) => /^(?:settled|output|answered-\d+|accepted-\d+)$/.test(name));
    const taskIds = await Promise.all(naming.map(idIn));
    const isAnswered = (n: number): boolean => names.includes(`accepted-${n}`) || names.includes(`answered-${n}`);
    return taskIds.length > 0 && taskIds.every((id) => id === taskId) && sendingNumbers(names).every(isAnswered);
  }

  return {
    productions: () => records.list(LEDGER),
    shots: (productionId) => records.list(`${LEDGER}/${productionId}`),
    numbers,
    async readableRecords(address) {
      const folder = takeFolder(address);
      const names = await records.list(folder);
      const sent = sendingNumbers(names);
      const read = async <T>(name: string, parse: (record: unknown) => T): Promise<T | undefined> =>
        (await ifReadable(async () => parse(await records.read(`${folder}/${name}`))))?.value;
      const intent = await read('intent', (record) => Intent.parse(record));
      const settled = await read('settled', (record) => Settled.parse(record));
      const sendings = intent === undefined && sent.length === 0 ? [1] : sent;
      return { intent, settled, sendings, besideSettled: besideSettled(names) };
    },
    async mayBeOpenOrSettledOn(address, day) {
      const names = await records.list(takeFolder(address));
      const sent = sendingNumbers(names);
      if (sent.length === 0) return false;
      if (!names.includes('settled')) return true;
      const isRefused = (n: number): boolean =>
        names.includes(`refused-${n}`) && !names.includes(`accepted-${n}`) && !names.includes(`answered-${n}`);
      const hasSecondTask = names.some((name) => name.startsWith('also-accepted-'));
      if (hasSecondTask || sent.filter((n) => !isRefused(n)).length > 1) return true;
      return Settled.parse(await records.read(`${takeFolder(address)}/settled`)).at.startsWith(day);
    },
    async ownerOf(task) {
      const owner = await records.read(claimOf(task));
      return owner === undefined ? undefined : TaskOwner.parse(owner);
    },
    async numberOf(take) {
      const { productionId, shotId, takeKey } = take;
      for (const number of await numbers(take)) {
        const read = (): Promise<unknown> => readIntent({ productionId, shotId, take: number });
        const intent = number === take.take ? await read() : (await ifReadable(read))?.value;
        if ((intent as Partial<Intent> | null | undefined)?.takeKey === takeKey) return number;
      }
      return undefined;
    },
    async freeNumber(take, taskId) {
      const names = (await records.list(takeFolder(take))).filter((name) => TAKE_RECORD.test(name));
      if (names.length === 0 || (await belongsToTask(take, names, taskId))) return take.take;
      return Math.max(take.take, ...(await numbers(take))) + 1;
    },
  };
}

/** Judges by the names of a take's records, since the records may be unreadable. */
function besideSettled(names: readonly string[]): readonly number[] {
  const has = (kind: string, n: number): boolean => names.includes(`${kind}-${n}`);
  const isAccepted = (n: number): boolean => has('accepted', n) || (has('answered', n) && !has('unclear', n));
  const open = sendingNumbers(names).filter((n) => isAccepted(n) || !has('refused', n));
  const settled = open.findLast(isAccepted) ?? open.at(-1);
  return open.filter((n) => n !== settled || has('also-accepted', n));
}

/** Key of the record that names a task's take. */
export function claimOf({ account, taskId, model }: TaskAtGateway): string {
  return `${TASKS}/${accountHash(account)}/${hashOf([model.workflow ?? null, taskId])}`;
}
