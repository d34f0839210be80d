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

/** Where it is kept which take a task is of. */
export const TASKS = 'tasks';

/** Where a take's records lie. */
export interface TakeAddress {
  readonly productionId: string;
  readonly shotId: string;
  readonly take: number;
}

export function isSameTake(a: TakeAddress, b: TakeAddress): boolean {
  return a.productionId === b.productionId && a.shotId === b.shotId && a.take === b.take;
}

/** A take as its writer knows it. With the key, nothing is written where the ledger has another take at the address. */
export interface WrittenTake extends TakeAddress {
  readonly takeKey?: string;
}

/** What came of one sending. */
export type SendingEnd =
  | { readonly kind: 'answered'; readonly record: Answered }
  | { readonly kind: 'accepted'; readonly record: Accepted }
  | { readonly kind: 'refused'; readonly record: Refused }
  | { readonly kind: 'unclear'; readonly record: Unclear }
  /** The true answer came when a person had adopted another task. */
  | { readonly kind: 'also-accepted'; readonly record: Accepted };

/** A task as it is read at the gateway: two with one id at one address are one. */
export interface TaskAtGateway {
  readonly account: string;
  readonly taskId: string;
  readonly model: { readonly workflow?: string };
}

/**
 * Write-once records of what was about to be sent, what was accepted, what was charged.
 *
 * It is the ledger, not a retry policy, that keeps a take from being sent twice: `beginSending` creates `sent-n`
 * exclusively, and only its creator may send. Every write is flushed before it returns.
 *
 * All that is written after the intent throws TakeMismatch where there is no intent, or that of another take: a ledger
 * that was restored may have neither of what a running workflow knows.
 */
export interface Ledger {
  /** The shots of a production that have takes. */
  shots(productionId: string): Promise<readonly string[]>;
  /** All takes of a shot, by number. */
  takes(productionId: string, shotId: string): Promise<readonly TakeHistory[]>;
  /** Undefined before its intent. @throws UnreadableRecord where records are lost or cut short: nothing may be sent. */
  take(address: TakeAddress): Promise<TakeHistory | undefined>;
  /** Claims the next number for a new take; false where another take has just got it. */
  intend(address: TakeAddress, intent: Intent): Promise<boolean>;
  /** The right to send as number n; false where somebody else has it or had it. */
  beginSending(address: WrittenTake, n: number, sent: Sent): Promise<boolean>;
  endSending(address: WrittenTake, n: number, end: SendingEnd): Promise<boolean>;
  /** Notes a decision under its number; false where that number is taken by another one. */
  decide(address: WrittenTake, n: number, decision: LedgerDecision): Promise<boolean>;
  /** Claims a task for the take that it was accepted for. @returns the take whose it is, which is the first that claimed. */
  claimTask(address: TakeAddress, task: TaskAtGateway): Promise<TakeAddress>;
  /** Notes how the task ended. @returns the end that stands, which is the first that was noted. */
  settle(address: WrittenTake, settled: Settled): Promise<Settled>;
  /** @param taskId null for a clip of the person's own. */
  noteOutput(address: WrittenTake, taskId: string | null, output: TakeOutput): Promise<void>;
  /** Notes that the bytes of a take's output are about to be freed. */
  notePruned(address: WrittenTake): Promise<void>;
}

export function createLedger(records: Records): Ledger {
  async function take(address: TakeAddress): Promise<TakeHistory | undefined> {
    const folder = takeFolder(address);
    const names = (await records.list(folder)).filter((name) => TAKE_RECORD.test(name));
    // A crash may leave the folder before anything is in it; what has lost its intent may be any wish, also this one.
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

  /** What is left of the take that an alias stands for. */
  async function leftAt(address: TakeAddress): Promise<Left> {
    const paid = await take(address);
    const output = paid && leftBy(paid);
    return { ...(output && { output }), ...(paid?.pruned && { pruned: paid.pruned }) };
  }

  /** The intent is written once: what it says before a write is so when that is made. */
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

/** What the take itself left; bytes that were noted after a prune have been collected anew. */
function left(noted: unknown, freed: unknown): Left {
  if (noted === undefined) return {};
  const output = NotedOutput.parse(noted);
  const pruned = freed === undefined ? undefined : Pruned.parse(freed);
  return pruned === undefined || output.at > pruned.at ? { output } : { output, pruned };
}

/** The numbers of a shot's takes in order, by the names in its folder. */
export function takeNumbers(names: readonly string[]): readonly number[] {
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Where the records of a take lie. */
export function takeFolder({ productionId, shotId, take }: TakeAddress): string {
  return `ledger/${productionId}/${shotId}/${take}`;
}

/** The records of one sending. Any one of them shows that it was sent, even if the others are lost. */
const SENDING_RECORDS = ['sent', 'answered', 'accepted', 'refused', 'unclear', 'also-accepted'] as const;

/** The records of a take; any other name in its folder is foreign. */
export const TAKE_RECORD = new RegExp(
  `^(?:intent|settled|output|(?:${SENDING_RECORDS.join('|')}|decision|pruned)-\\d+)$`,
);

/** The numbers of a take's sendings, by the names of its records. */
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
