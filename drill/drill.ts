import { setTimeout as sleep } from 'node:timers/promises';
import { type OnUnclear } from '../contracts/decision';
import { hireCrew } from './crew';
import { type Copies, deal, type Struck } from './deal';
import { REFUSED_FOR_GOOD } from './gateway-faults';
import { allHistories, replay, taskIdsIn } from './histories';
import { createLedgerLoss, type LedgerLoss } from './ledger-loss';
import { createOperator, type Operator } from './operator';
import { type DrillProduction, drillProductions } from './productions';
import { reckon, type Reckoning } from './reckoning';
import { planFaults } from './schedule';
import { DRILL_ACCOUNT, DRILL_KEY, setStage } from './stage';
import { takesInStore } from './takes-in-store';

export interface DrillOptions {
  readonly seed: number;
  /** How long faults are dealt. Each strikes as soon as it can. */
  readonly minutes: number;
  readonly productions: number;
  readonly onUnclear: OnUnclear;
  /** Folder for everything, including logs. */
  readonly folder: string;
  readonly onNotice: (line: string) => void;
}

export interface DrillReport extends Reckoning {
  readonly seed: number;
  readonly onUnclear: OnUnclear;
  readonly seconds: number;
  readonly productions: number;
  /** Tasks that the gateway accepted by an execute. */
  readonly executes: number;
  /** Retakes and revisions that were accepted. */
  readonly retakes: number;
  readonly revisions: number;
  /** Copies of the store on which a worker refused to start. */
  readonly copiesRefused: number;
  /** How often each fault struck, by name. */
  readonly faults: Readonly<Record<string, number>>;
  /** SIGKILLs among the faults. */
  readonly kills: number;
  /** Histories that replay with the current workflows. */
  readonly replays: number;
}

const WORKERS = 2;

/** The shortest that the configuration allows, so that a drill has many polls in flight. */
const POLL_FLOOR_MS = 250;

/** Productions start within this share of the time, so that the last faults still find work. */
const BEGIN_WITHIN = 0.6;

/** Each look queries a worker, which after a crash replays the whole history first. */
const LOOK_EVERY_MS = 3_000;

/** Delay between attempts while Temporal's server is down. */
const TRY_AGAIN_MS = 1_000;

/**
 * A film without progress for this long is stuck. Longer than a task's deadline and a submit's timeouts together, with
 * room for a busy machine.
 */
const STUCK_AFTER_MS = 300_000;

/** Renders films under faults, then compares the gateway's list, the ledger and the histories. */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const { seed, minutes, onUnclear, onNotice } = options;
  const begunAt = Date.now();
  const stage = await setStage(options.folder, { pictures: 'plain' });
  const counts = new Map<string, number>();
  let kills = 0;
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const struck: Struck = {
    other: count,
    signal(signal, what) {
      if (signal === 'SIGKILL') kills += 1;
      count(`${signal} ${what}`);
    },
  };
  const crew = await hireCrew(
    WORKERS,
    {
      temporalAddress: stage.temporalAddress,
      gatewayUrl: stage.sandbox.url,
      gatewayKey: DRILL_KEY,
      account: DRILL_ACCOUNT,
      storeFolder: stage.store.folder,
      pollFloorMs: POLL_FLOOR_MS,
    },
    struck.signal,
  );

  const films = drillProductions(seed, options.productions, onUnclear);
  const loss = await createLedgerLoss({ stage, crew, films, folder: options.folder });
  const operator = createOperator({ ...stage, seed });
  const copies: Copies = { refused: 0, served: 0 };
  const rendering = renderAll({ films, operator, loss, faultsForMs: minutes * 60_000 });
  const dealing: Promise<void>[] = [];
  for (const { atMs, fault } of planFaults(seed, minutes, WORKERS)) {
    await sleep(Math.max(0, begunAt + atMs - Date.now()));
    dealing.push(deal(fault, { stage, crew, loss, struck, copies, folder: options.folder }));
  }
  await Promise.all(dealing);
  onNotice(`the last fault is dealt; ${stage.sandbox.tasks().length} tasks accepted so far`);
  // Faults that have not struck yet, as on a busy machine, strike while the films are completed.
  const stuck = await rendering;
  const gatewayFaults = stage.sandbox.faults.struck();
  stage.sandbox.faults.clear();
  await patiently(() => loss.close());

  const histories = await patiently(() => allHistories(stage.temporal));
  await crew.close();
  const tasks = stage.sandbox.tasks();
  const reckoning = reckon({
    tasks,
    takes: await takesInStore(stage.store, films),
    forgotten: loss.forgotten(),
    historyTaskIds: new Set(histories.flatMap(taskIdsIn)),
    stuck,
    missed: operator.missed(),
    refusalsDealt: REFUSED_FOR_GOOD.reduce((sum, name) => sum + (gatewayFaults[name] ?? 0), 0),
    copiesServed: copies.served,
  });
  await stage.close();
  const failedReplays = await replay(histories);
  return {
    ...reckoning,
    broken: [...reckoning.broken, ...failedReplays.map((failed) => `a history does not replay: ${failed}`)],
    seed,
    onUnclear,
    seconds: Math.round((Date.now() - begunAt) / 1000),
    productions: films.length,
    executes: tasks.filter(({ mode }) => mode === 'execute').length,
    ...operator.directed(),
    copiesRefused: copies.refused,
    faults: { ...Object.fromEntries(counts), ...gatewayFaults },
    kills,
    replays: histories.length - failedReplays.length,
  };
}

interface Rendering {
  readonly films: readonly DrillProduction[];
  readonly operator: Operator;
  readonly loss: LedgerLoss;
  readonly faultsForMs: number;
}

/** Starts the films one after another and attends to each until it has ended. @returns the ids of the stuck ones. */
async function renderAll({ films, operator, loss, faultsForMs }: Rendering): Promise<readonly string[]> {
  const faultsUntil = Date.now() + faultsForMs;
  const beginEveryMs = (faultsForMs * BEGIN_WITHIN) / films.length;
  const completed = await Promise.all(
    films.map(async (film, index) => {
      await sleep(index * beginEveryMs);
      return hasCompleted(film, operator, loss, faultsUntil);
    }),
  );
  return films.filter((_film, index) => completed[index] === false).map(({ frozen }) => frozen.id);
}

/**
 * Attends to a film until it is complete, or has no progress although no more faults are dealt. @returns whether it is
 * complete.
 *
 * After a restore the film is rendered again, even if it had ended, so that takes which the ledger lost are found and
 * collected.
 */
async function hasCompleted(
  film: DrillProduction,
  operator: Operator,
  loss: LedgerLoss,
  faultsUntil: number,
): Promise<boolean> {
  let stood = '';
  let stillSince = Date.now();
  let isComplete = false;
  let lossesSeen = loss.count();
  while (Date.now() < Math.max(faultsUntil, stillSince) + STUCK_AFTER_MS) {
    try {
      const losses = loss.count();
      if (losses > lossesSeen) {
        isComplete = false;
        await loss.withRecords(() => operator.renderAgain(film));
        lossesSeen = losses;
      }
      if (!isComplete) {
        const status = await loss.withRecords(() => operator.attendTo(film));
        isComplete = status?.state === 'completed' && operator.hasDirected(film);
        const stands = JSON.stringify(status?.shots);
        if (stands !== stood || isComplete) [stood, stillSince] = [stands, Date.now()];
      }
    } catch {
      // Temporal may be down, and an answer may get lost: the next look tells.
    }
    if (isComplete && Date.now() > faultsUntil && lossesSeen === loss.count()) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

async function patiently<T>(step: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + STUCK_AFTER_MS;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await sleep(TRY_AGAIN_MS);
    }
  }
}
