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
  TaskOwner,
  Unclear,
} from './ledger-records';
import { type TakeOutput } from '../contracts/activities';
import { numbersOf, type Records, UnreadableRecord } from './records';
import { leftBy, type Sending, type TakeHistory } from './take-history';
import { accountHash, hashOf } from './take-key';
import { IntentMissing, TakeMismatch } from './take-mismatch';

/** Folder of the records that name each task's take. */
export const TASKS = 'tasks';

/** Identifies a take, and the folder of its records. */
export interface TakeAddress {
  readonly productionId: string;
  readonly shotId: string;
  readonly take: number;
}

export function isSameTake(a: TakeAddress, b: TakeAddress): boolean {
  return a.productionId === b.productionId && a.shotId === b.shotId && a.take === b.take;
}

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
  /** The real answer came after a person had adopted another task. */
  | { readonly kind: 'also-accepted'; readonly record: Accepted };

/** A task as it is addressed at the gateway. The same id at the same address is the same task. */
export interface TaskAtGateway {
  readonly account: string;
  readonly taskId: string;
  readonly model: { readonly workflow?: string };
}

/**
 * Write-once records of what was about to be sent, what was accepted and what was charged.
 *
 * The ledger, not a retry policy, keeps a take from being sent twice: `beginSending` creates `sent-n` exclusively, and
 * only the process that creates it may send. Every write is flushed before it returns.
 *
 * All writes after the intent throw TakeMismatch if the intent is missing or another take's: a restored ledger may lack
 * a take that a running workflow knows.
 */
export interface Ledger {
  /** The shots of a production that have takes. */
  shots(productionId: string): Promise<readonly string[]>;
  /** All takes of a shot, by number. */
  takes(productionId: string, shotId: string): Promise<readonly TakeHistory[]>;
  /**
   * Undefined before its intent. @throws UnreadableRecord if records are lost or cut short; then nothing may be sent.
   */
  take(address: TakeAddress): Promise<TakeHistory | undefined>;
  /** Claims the address for a new take. False if another take has it. */
  intend(address: TakeAddress, intent: Intent): Promise<boolean>;
  /** Takes the right to send as number n. False if another attempt took it. */
  beginSending(address: WrittenTake, n: number, sent: Sent): Promise<boolean>;
  endSending(address: WrittenTake, n: number, end: SendingEnd): Promise<boolean>;
  /** Records a decision under its number. False if the number is taken. */
  decide(address: WrittenTake, n: number, decision: LedgerDecision): Promise<boolean>;
  /**
   * Claims a task for the take that it was accepted for. @returns the task's take, which is the first that claimed it.
   */
  claimTask(address: TakeAddress, task: TaskAtGateway): Promise<TakeAddress>;
  /** Records how the task ended. @returns the end in force, which is the first that was recorded. */
  settle(address: WrittenTake, settled: Settled): Promise<Settled>;
  /** @param taskId null for a person's own clip. */
  noteOutput(address: WrittenTake, taskId: string | null, output: TakeOutput): Promise<void>;
  /** Records that the bytes of a take's output are about to be removed. */
  notePruned(address: WrittenTake): Promise<void>;
}

export function createLedger(records: Records): Ledger {
  async function take(address: TakeAddress): Promise<TakeHistory | undefined> {
    const folder = takeFolder(address);
    const names = (await records.list(folder)).filter((name) => TAKE_RECORD.test(name));
    // A crash may leave an empty folder. Records without an intent may belong to any ask, also to this one.
    if (names.length === 0) return undefined;
    if (!names.includes('intent')) throw new IntentMissing(`${folder} has records of a take, and lacks its intent`);
    const read = (name: string): Promise<unknown> =>
      names.includes(name) ? records.read(`${folder}/${name}`) : Promise.resolve(undefined);
    const [intent, settled, output, pruned, sendings, decisions] = await Promise.all([
      read('intent').then((record) => Intent.parse(record)),
      read('settled'),
      read('output'),
      read(`pruned-${numbersOf(names, 'pruned').at(-1) ?? 1}`),
      Promise.all(sendingNumbers(names).map((n) => readSending(read, n))),
      Promise.all(numbersOf(names, 'decision').map((n) => read(`decision-${n}`))),
    ]);
    return {
      take: address.take,
      intent,
      sendings,
      decisions: decisions.map((decision) => LedgerDecision.parse(decision)),
      ...(settled === undefined ? {} : { settled: Settled.parse(settled) }),
      ...(output === undefined && intent.alias !== undefined ? await leftAt(intent.alias) : left(output, pruned)),
    };
  }

  /** The output of the take that an alias stands for. */
  async function leftAt(address: TakeAddress): Promise<Left> {
    const paid = await take(address);
    const output = paid && leftBy(paid);
    return { ...(output && { output }), ...(paid?.pruned && { pruned: paid.pruned }) };
  }

  /** The intent is written once, so this check still holds when the write follows. */
  async function checkTake({ productionId, shotId, take: number, takeKey }: WrittenTake): Promise<void> {
    const address = { productionId, shotId, take: number };
    const intent = await records.read(`${takeFolder(address)}/intent`);
    const found = Intent.shape.takeKey.safeParse((intent as Partial<Intent> | null | undefined)?.takeKey).data;
    if (intent === undefined || (takeKey !== undefined && found !== takeKey)) throw new TakeMismatch(address, found);
  }

  return {
    take,
    shots: (productionId) => records.list(`ledger/${productionId}`),
    async takes(productionId, shotId) {
      const numbers = takeNumbers(await records.list(`ledger/${productionId}/${shotId}`));
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
  };
}

/** The take that has claimed a task; undefined if none has. */
export async function ownerOf(records: Records, task: TaskAtGateway): Promise<TakeAddress | undefined> {
  const owner = await records.read(claimOf(task));
  return owner === undefined ? undefined : TaskOwner.parse(owner);
}

function claimOf({ account, taskId, model }: TaskAtGateway): string {
  return `${TASKS}/${accountHash(account)}/${hashOf([model.workflow ?? null, taskId])}`;
}

type Left = Pick<TakeHistory, 'output' | 'pruned'>;

/** The take's own output. Bytes that were recorded after a prune have been collected again. */
function left(noted: unknown, freed: unknown): Left {
  if (noted === undefined) return {};
  const output = NotedOutput.parse(noted);
  const pruned = freed === undefined ? undefined : Pruned.parse(freed);
  return pruned === undefined || output.at > pruned.at ? { output } : { output, pruned };
}

/** The numbers of a shot's takes, ascending, from the names in its folder. */
export function takeNumbers(names: readonly string[]): readonly number[] {
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Folder of a take's records. */
export function takeFolder({ productionId, shotId, take }: TakeAddress): string {
  return `ledger/${productionId}/${shotId}/${take}`;
}

/** The records of one sending. Any one of them shows that it was sent, even if the others are lost. */
const SENDING_RECORDS = ['sent', 'answered', 'accepted', 'refused', 'unclear', 'also-accepted'] as const;

/** The records of a take; any other name in its folder is foreign. */
export const TAKE_RECORD = new RegExp(
  `^(?:intent|settled|output|(?:${SENDING_RECORDS.join('|')}|decision|pruned)-\\d+)$`,
);

/** The numbers of a take's sendings, ascending, from the names of its records. */
export function sendingNumbers(names: readonly string[]): readonly number[] {
  const numbers = new Set(SENDING_RECORDS.flatMap((kind) => numbersOf(names, kind)));
  return [...numbers].sort((a, b) => a - b);
}

async function readSending(read: (name: string) => Promise<unknown>, n: number): Promise<Sending> {
  const [sent, answered, accepted, refused, unclear, alsoAccepted] = await Promise.all([
    read(`sent-${n}`).catch(nullWhereCutShort),
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

function nullWhereCutShort(error: unknown): null {
  if (error instanceof UnreadableRecord) return null;
  throw error;
}
