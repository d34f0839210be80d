import { setTimeout as sleep } from 'node:timers/promises';
import { type OnUnclear } from '../contracts/render/decision';
import { startCrew } from './crew';
import { type Copies, injectFault, type StrikeCounts } from './inject-fault';
import { REFUSED_FOR_GOOD } from './gateway-faults';
import { allHistories, replay, taskIdsIn } from './histories';
import { LedgerLoss } from './ledger-loss';
import { createOperator, type Operator } from './operator';
import { type DrillProduction, drillProductions } from './productions';
import { reckon, type Reckoning } from './reckoning';
import { planFaults } from './schedule';
import { DRILL_ACCOUNT, DRILL_KEY, setStage, type Stage } from './stage';
import { takesInStore } from './takes-in-store';
import { type WorkerSettings } from './worker-process';

export interface DrillOptions {
  readonly seed: number;
  /** How long new faults are injected. */
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
  /** Tasks that the gateway accepted through execute calls. */
  readonly executes: number;
  /** Accepted retakes. */
  readonly retakes: number;
  /** Accepted revisions. */
  readonly revisions: number;
  /** Copies of the store on which a worker refused to start. */
  readonly copiesRefused: number;
  /** How often each fault struck, by name. */
  readonly faults: Readonly<Record<string, number>>;
  /** SIGKILLs among the faults. */
  readonly kills: number;
  /** Histories that replay without an error. */
  readonly replays: number;
}

const WORKERS = 2;

/** A short interval, so that a drill has many polls in flight. */
const POLL_FLOOR_MS = 250;

/** Productions start within this share of `minutes`, so that some still run when the last faults are injected. */
const BEGIN_WITHIN = 0.6;

/** Pause between checks of a film. Each check queries a worker, which after a crash first replays the whole history. */
const CHECK_EVERY_MS = 3_000;

/** Delay between attempts while Temporal's server is down. */
const RETRY_EVERY_MS = 1_000;

/**
 * After the faults, a film without progress for this long is stuck. Longer than a task's deadline and a submit's
 * timeouts together, with room for a busy machine.
 */
const STUCK_AFTER_MS = 300_000;

/** Renders films under faults, compares the gateway's tasks, the ledger and histories, and replays the histories. */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const { seed, onUnclear } = options;
  const begunAt = Date.now();
  const stage = await setStage(options.folder, { pictures: 'plain' });
  const { drilled, reckoning, tasks } = await drillAndReckon(stage, options, begunAt).finally(() => stage.close());
  const { histories, operator, copies, films, struck, gatewayFaults } = drilled;
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
    faults: { ...Object.fromEntries(struck.counts), ...gatewayFaults },
    kills: struck.kills(),
    replays: histories.length - failedReplays.length,
  };
}

async function drillAndReckon(stage: Stage, options: DrillOptions, begunAt: number) {
  const drilled = await drill(stage, options, begunAt);
  const { films, loss, operator, copies, stuck, histories, gatewayFaults } = drilled;
  const tasks = stage.sandbox.tasks();
  const reckoning = reckon({
    tasks,
    takes: await takesInStore(stage.store, films),
    beforeLosses: loss.beforeLosses(),
    historyTaskIds: new Set(histories.flatMap(taskIdsIn)),
    stuck,
    missed: operator.missed(),
    refusalsInjected: REFUSED_FOR_GOOD.reduce((sum, name) => sum + (gatewayFaults[name] ?? 0), 0),
    copiesServed: copies.served,
  });
  return { drilled, reckoning, tasks };
}

/** Renders the films under faults. Ends all workers before it returns or throws. */
async function drill(stage: Stage, { seed, minutes, onUnclear, ...options }: DrillOptions, begunAt: number) {
  const struck = createStrikes();
  const crew = await startCrew(WORKERS, settingsOf(stage), struck.signal);
  const films = drillProductions(seed, options.productions, onUnclear);
  let loss: LedgerLoss | undefined;
  try {
    loss = await LedgerLoss.open({ stage, crew, films, folder: options.folder });
    const operator = createOperator({ ...stage, seed });
    const copies: Copies = { refused: 0, served: 0 };
    const rendering = renderAll({ films, operator, loss, faultsForMs: minutes * 60_000 });
    const injecting: Promise<void>[] = [];
    for (const { atMs, fault } of planFaults(seed, minutes, WORKERS)) {
      await sleep(Math.max(0, begunAt + atMs - Date.now()));
      injecting.push(injectFault(fault, { stage, crew, loss, struck, copies, folder: options.folder }));
    }
    await Promise.all(injecting);
    options.onNotice(`the last fault is injected; ${stage.sandbox.tasks().length} tasks accepted so far`);
    // Faults that have not struck yet may still strike until the films are complete.
    const stuck = await rendering;
    const gatewayFaults = stage.sandbox.faults.struck();
    stage.sandbox.faults.clear();
    const ending = loss;
    await retryWhileDown(() => ending.close());
    const histories = await retryWhileDown(() => allHistories(stage.temporal));
    return { films, loss, operator, copies, struck, stuck, gatewayFaults, histories };
  } catch (error) {
    loss?.stop();
    throw error;
  } finally {
    await crew.close();
  }
}

function createStrikes(): StrikeCounts & { readonly counts: ReadonlyMap<string, number>; kills(): number } {
  const counts = new Map<string, number>();
  let kills = 0;
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    counts,
    kills: () => kills,
    other: count,
    signal(signal, what) {
      if (signal === 'SIGKILL') kills += 1;
      count(`${signal} ${what}`);
    },
  };
}

function settingsOf(stage: Stage): WorkerSettings {
  return {
    temporalAddress: stage.temporalAddress,
    gatewayUrl: stage.sandbox.url,
    gatewayKey: DRILL_KEY,
    account: DRILL_ACCOUNT,
    storeFolder: stage.store.folder,
    pollFloorMs: POLL_FLOOR_MS,
  };
}

interface Rendering {
  readonly films: readonly DrillProduction[];
  readonly operator: Operator;
  readonly loss: LedgerLoss;
  readonly faultsForMs: number;
}

/** Starts the films at intervals and attends to each until it is complete or stuck. @returns ids of the stuck films. */
async function renderAll({ films, operator, loss, faultsForMs }: Rendering): Promise<readonly string[]> {
  const faultsUntil = Date.now() + faultsForMs;
  const beginEveryMs = (faultsForMs * BEGIN_WITHIN) / films.length;
  const completed = await Promise.all(
    films.map(async (film, index) => {
      await sleep(index * beginEveryMs);
      return attendUntilComplete(film, operator, loss, faultsUntil);
    }),
  );
  return films.filter((_film, index) => completed[index] === false).map(({ frozen }) => frozen.id);
}

/**
 * Attends to a film until all faults are injected and the film is complete or stuck. @returns whether it is complete.
 *
 * After a restore of the ledger, the film is rendered again to collect the takes that the ledger lost.
 */
async function attendUntilComplete(
  film: DrillProduction,
  operator: Operator,
  loss: LedgerLoss,
  faultsUntil: number,
): Promise<boolean> {
  let lastShots = '';
  let unchangedSince = Date.now();
  let isComplete = false;
  let lossesSeen = loss.count();
  while (Date.now() < Math.max(faultsUntil, unchangedSince) + STUCK_AFTER_MS) {
    try {
      const losses = loss.count();
      if (losses > lossesSeen) {
        isComplete = false;
        await loss.withRecords(() => operator.renderAgain(film));
        lossesSeen = losses;
      }
      if (!isComplete) {
        // `attendTo` may make a change after it has read the status, and the change may start the film again.
        const isDirected = operator.hasDirected(film);
        const status = await loss.withRecords(() => operator.attendTo(film));
        isComplete = status?.state === 'completed' && isDirected;
        const shots = JSON.stringify(status?.shots);
        if (shots !== lastShots || isComplete) [lastShots, unchangedSince] = [shots, Date.now()];
      }
    } catch {
      // Temporal may be down, or its answer may be lost. Check again later.
    }
    if (isComplete && Date.now() > faultsUntil && lossesSeen === loss.count()) return true;
    await sleep(CHECK_EVERY_MS);
  }
  return false;
}

async function retryWhileDown<T>(step: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + STUCK_AFTER_MS;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await sleep(RETRY_EVERY_MS);
    }
  }
}
