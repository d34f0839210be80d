import { setTimeout as sleep } from 'node:timers/promises';
import { type OnUnclear } from '../contracts/decision';
import { type SandboxTask } from '../sandbox';
import { type Store } from '../store';
import { type Crew, hireCrew } from './crew';
import { type Desk, openDesk } from './desk';
import { REFUSED_FOR_GOOD } from './gateway-faults';
import { allHistories, replay, taskIdsIn } from './histories';
import { type DrillProduction, drillProductions } from './productions';
import { type ReckonedTake, reckon, type Reckoning } from './reckoning';
import { type Fault, planFaults } from './schedule';
import { DRILL_ACCOUNT, DRILL_KEY, setStage, type Stage } from './stage';

export interface DrillOptions {
  readonly seed: number;
  /** How long faults are dealt. */
  readonly minutes: number;
  readonly productions: number;
  readonly onUnclear: OnUnclear;
  /** Where everything lies, logs too. */
  readonly folder: string;
  readonly onNotice: (line: string) => void;
}

export interface DrillReport extends Reckoning {
  readonly seed: number;
  readonly onUnclear: OnUnclear;
  readonly seconds: number;
  readonly productions: number;
  /** How often each fault struck, by name. */
  readonly faults: Readonly<Record<string, number>>;
  /** SIGKILLs among them. */
  readonly kills: number;
  /** Histories that replay with the workflows as they are. */
  readonly replays: number;
}

const WORKERS = 2;

/** As short as the configuration allows, so that a drill has many polls in flight. */
const POLL_FLOOR_MS = 250;

/** Productions begin within this share of the time, so that the last faults still find something to strike. */
const BEGIN_WITHIN = 0.6;

/** A look is a query that a worker has to answer, and after a crash from the whole history. */
const LOOK_EVERY_MS = 3_000;

/** A step at Temporal is tried again after this long while its server is down. */
const TRY_AGAIN_MS = 1_000;

/**
 * A film that has not moved for so long, with nothing in its way, is stuck. More than a task's deadline and the time-outs
 * of a submit together, and room for a busy machine.
 */
const STUCK_AFTER_MS = 240_000;

/**
 * Renders films while everything is struck that can be, then holds the gateway's list, the ledger and the histories
 * against each other.
 */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const { seed, minutes, onUnclear, onNotice } = options;
  const begunAt = Date.now();
  const stage = await setStage(options.folder, { pictures: 'plain' });
  const struck = new Map<string, number>();
  let kills = 0;
  const onStruck = (signal: string, what: string): void => {
    if (signal === 'SIGKILL') kills += 1;
    const name = `${signal} ${what}`;
    struck.set(name, (struck.get(name) ?? 0) + 1);
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
    onStruck,
  );

  const films = drillProductions(seed, options.productions, onUnclear);
  const desk = openDesk({ ...stage, seed });
  const rendering = renderAll(films, desk, minutes * 60_000);
  for (const { atMs, fault } of planFaults(seed, minutes, WORKERS)) {
    await sleep(Math.max(0, begunAt + atMs - Date.now()));
    void deal(fault, stage, crew, onStruck);
  }
  const gatewayFaults = stage.sandbox.faults.struck();
  stage.sandbox.faults.clear();
  onNotice(`the last fault is dealt; ${stage.sandbox.tasks().length} tasks accepted so far`);
  const stuck = await rendering;

  const histories = await patiently(() => allHistories(stage.temporal));
  await crew.close();
  const tasks: readonly SandboxTask[] = stage.sandbox.tasks();
  const reckoning = reckon({
    tasks,
    takes: await takesIn(stage.store, films),
    historyTaskIds: new Set(histories.flatMap(taskIdsIn)),
    stuck,
    missed: desk.missed(),
    refusalsDealt: REFUSED_FOR_GOOD.reduce((sum, name) => sum + (gatewayFaults[name] ?? 0), 0),
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
    faults: { ...Object.fromEntries(struck), ...gatewayFaults },
    kills,
    replays: histories.length - failedReplays.length,
  };
}

/** Begins the films one after another and attends to each until it has ended. @returns the ids of those that are stuck. */
async function renderAll(
  films: readonly DrillProduction[],
  desk: Desk,
  faultsForMs: number,
): Promise<readonly string[]> {
  const faultsUntil = Date.now() + faultsForMs;
  const beginEveryMs = (faultsForMs * BEGIN_WITHIN) / films.length;
  const completed = await Promise.all(
    films.map(async (film, index) => {
      await sleep(index * beginEveryMs);
      return hasCompleted(film, desk, faultsUntil);
    }),
  );
  return films.filter((_film, index) => completed[index] === false).map(({ frozen }) => frozen.id);
}

/** Attends to a film until it is complete, or stands still though nothing strikes it any more. */
async function hasCompleted(film: DrillProduction, desk: Desk, faultsUntil: number): Promise<boolean> {
  let stood = '';
  let stillSince = Date.now();
  while (Date.now() < Math.max(faultsUntil, stillSince) + STUCK_AFTER_MS) {
    // Temporal may be down, and an answer may get lost: the next look tells.
    const status = await desk.attendTo(film).catch(() => undefined);
    if (status?.state === 'completed') return true;
    const stands = JSON.stringify(status?.shots);
    if (stands !== stood) [stood, stillSince] = [stands, Date.now()];
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

async function deal(
  fault: Fault,
  stage: Stage,
  { posts }: Crew,
  onStruck: (signal: string, what: string) => void,
): Promise<void> {
  switch (fault.kind) {
    case 'worker-kill':
      posts[fault.post]?.strike('SIGKILL');
      return;
    case 'worker-term':
      posts[fault.post]?.strike('SIGTERM');
      return;
    case 'fail-point':
      posts[fault.post]?.armPoint(fault.order);
      return;
    case 'wire-point':
      posts[fault.post]?.armWire(fault.point);
      return;
    case 'gateway':
      stage.sandbox.faults.inject(fault.injection);
      return;
    case 'temporal-kill':
      onStruck('SIGKILL', 'temporal');
      await stage.killTemporal();
  }
}

async function takesIn(store: Store, films: readonly DrillProduction[]): Promise<readonly ReckonedTake[]> {
  const takes: ReckonedTake[] = [];
  for (const { frozen } of films) {
    for (const { id: shot } of frozen.shots) {
      for (const history of await store.ledger.takes(frozen.id, shot)) {
        const asset = history.output?.asset;
        const isStored = asset !== undefined && (await store.assets.has(asset));
        takes.push({ production: frozen.id, shot, history, isStored });
      }
    }
  }
  return takes;
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
