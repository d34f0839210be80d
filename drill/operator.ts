import { type DailiesClient, readFrozen, Refused } from '../client';
import { knownProduction, proposeRetake } from '../client/directing';
import { type Change } from '../client/renders';
import { type Decision } from '../contracts/render/decision';
import { type FrozenShot } from '../contracts/render/frozen';
import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../contracts/status';
import { type Sandbox } from '../sandbox';
import { pick, type Random, seededRandom } from '../sandbox/random';
import { shotDigest, type Store } from '../store';
import { type DrillProduction } from './productions';
import { type MissedShot } from './reckoning';
import { DRILL_ACCOUNT } from './stage';

/**
 * Time between the operator's first sight of an unclear take and a decision on it. After this time, requests on the
 * wire have reached the gateway, even on a busy machine. The take's recorded time is not used, because it may come from
 * a wrong clock.
 */
export const ACT_AFTER_MS = 8_000;

/** A shot parked as `failed` or `credits` is not sent again after this many takes. Its film then counts as stuck. */
const MAX_TAKES_PER_SHOT = 15;

/** Larger than any file of a drill. */
const DATA_URI_MAX_BYTES = 20_000_000;

export interface OperatorOptions {
  readonly client: DailiesClient;
  readonly sandbox: Sandbox;
  readonly store: Store;
  /** The same seed makes the same decisions. */
  readonly seed: number;
}

/** Acts as the person who renders the films. */
export interface Operator {
  /**
   * Checks a production as `dailies status` does. Decides on parked shots by the sandbox's list of tasks or by a draw.
   * Makes the planned retakes and revisions. Renders a production that has not started, or has ended with missing
   * shots.
   *
   * @returns the production's status before these steps; undefined if it had not started.
   */
  attendTo(film: DrillProduction): Promise<ProductionStatus | undefined>;
  /** Renders a production in its last version, even if it has ended; used after a restore. */
  renderAgain(film: DrillProduction): Promise<void>;
  /** True if all planned retakes and revisions of a production were accepted. */
  hasDirected(film: DrillProduction): boolean;
  /** Shots and films that were missing when a render ended. */
  missed(): readonly MissedShot[];
  /** Retakes and revisions that were accepted. */
  directed(): { readonly retakes: number; readonly revisions: number };
}

/** A change that the operator makes when enough shots are completed. */
interface Direction {
  readonly kind: 'retakes' | 'revisions';
  readonly shot: string;
  readonly afterCompleted: number;
}

/** A production as the operator last changed it, and its next changes. */
interface ProductionFile {
  current: Change & DrillProduction;
  readonly directions: Direction[];
  /** A change that is not known to be accepted, for example because it was refused or its answer was lost. */
  pending?: { readonly kind: Direction['kind']; readonly change: Change };
}

export function createOperator(options: OperatorOptions): Operator {
  const { client, store, seed } = options;
  /** By render id, because an ended render may be checked more than once. */
  const missed = new Map<string, readonly MissedShot[]>();
  const files = new Map<string, ProductionFile>();
  /** First sight of each unclear take, by the take key and the time at which the take was parked. */
  const firstSeen = new Map<string, number>();
  const directed = { retakes: 0, revisions: 0 };

  async function fileOf(film: DrillProduction): Promise<ProductionFile> {
    const known = files.get(film.frozen.id);
    if (known !== undefined) return known;
    const production = await store.putJson(film.frozen);
    const current = { ...film, productionId: film.frozen.id, production };
    const file = { current, directions: directionsFor(film, seededRandom(`directions ${film.frozen.id}`, seed)) };
    files.set(film.frozen.id, file);
    return file;
  }

  /** Sends the pending change again, or makes the next change if it is due. Does nothing while a shot is parked. */
  async function direct(file: ProductionFile, { shots }: ProductionStatus): Promise<void> {
    if (shots.some(({ parked }) => parked !== null)) return;
    const completed = shots.filter(({ state }) => state === 'completed').length;
    const [next] = file.directions;
    if (file.pending === undefined && next !== undefined && completed >= next.afterCompleted) {
      const { productionId } = file.current;
      const change = await (next.kind === 'retakes'
        ? retake(store, productionId, next)
        : revision(store, file.current, next));
      file.current = { ...change, frozen: await readFrozen(store.assets, change.production) };
      file.pending = { kind: next.kind, change };
    }
    if (file.pending === undefined) return;
    const { kind, change } = file.pending;
    if (!(await tryStep(() => client.direct(change, [])))) return;
    directed[kind] += 1;
    file.directions.shift();
    delete file.pending;
  }

  function isTooEarly({ parked, takes }: ShotStatus): boolean {
    if (parked?.for !== 'unclear') return false;
    const key = `${takes.at(-1)?.takeKey} ${parked.since}`;
    const seenAt = firstSeen.get(key) ?? Date.now();
    firstSeen.set(key, seenAt);
    return Date.now() - seenAt < ACT_AFTER_MS;
  }

  return {
    async attendTo(film) {
      const { id } = film.frozen;
      const file = await fileOf(film);
      const status = await client.status(id);
      if (status !== undefined && status.state !== 'running') missed.set(status.renderId, missedShotsOf(status));
      if (status === undefined || status.state === 'incomplete') await tryStep(() => client.render(file.current));
      for (const shot of status?.shots ?? []) {
        if (isTooEarly(shot)) continue;
        const decision = await decisionFor(file.current, shot, status?.shots ?? [], options);
        if (decision !== undefined) await tryStep(() => client.resolve(id, shot.id, decision));
      }
      if (status !== undefined && status.fromStore !== true) await direct(file, status);
      return status;
    },
    async renderAgain(film) {
      const file = await fileOf(film);
      await tryStep(() => client.render(file.current));
    },
    hasDirected: (film) => files.get(film.frozen.id)?.directions.length === 0,
    missed: () => [...missed.values()].flat(),
    directed: () => directed,
  };
}

/** Runs a step. @returns false if the step was refused, for example because the state has changed; try again later. */
async function tryStep(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

/** Draws a retake of one shot and a new prompt for another, each after a drawn number of completed shots. */
function directionsFor({ frozen }: DrillProduction, random: Random): Direction[] {
  const shots = frozen.shots.filter(({ texts }) => texts === undefined).map(({ id }) => id);
  const retaken = pick(random, '', ...shots) || 'still';
  const revised = shots[(shots.indexOf(retaken) + 1 + Math.floor(random() * (shots.length - 1))) % shots.length];
  const after = (): number => 1 + Math.floor(random() * (frozen.shots.length - 2));
  return [
    { kind: 'retakes' as const, shot: retaken, afterCompleted: after() },
    { kind: 'revisions' as const, shot: revised ?? 'still', afterCompleted: after() },
  ].toSorted((a, b) => a.afterCompleted - b.afterCompleted);
}

/** Makes the change that `dailies retake` makes with another prompt. @throws Error if the proposal has issues. */
async function retake(store: Store, productionId: string, { shot }: Direction): Promise<Change> {
  const known = await knownProduction(store, DRILL_ACCOUNT, productionId);
  const context = {
    store,
    account: DRILL_ACCOUNT,
    quotes: store.account(DRILL_ACCOUNT).quotes({}),
    policy: { fileValues: 'auto', dataUriMaxBytes: DATA_URI_MAX_BYTES },
  } as const;
  const prompt = `${promptOf(known.production.shots.find(({ id }) => id === shot))}, once more`;
  const proposal = await proposeRetake(context, known, shot, { prompt });
  if ('issues' in proposal) throw new Error(proposal.issues.map(({ message }) => message).join('; '));
  // Omit `replaces`: the change is sent until it is accepted, whichever version runs at that time.
  const { productionId: id, production, plan, written, note } = await proposal.change();
  return { productionId: id, production, plan, ...(written && { written }), ...(note && { note }) };
}

/** Makes the change that `dailies edit` makes after a prompt was changed in the file. */
async function revision(store: Store, { frozen, plan }: DrillProduction, { shot }: Direction): Promise<Change> {
  const changed = (one: FrozenShot): FrozenShot =>
    one.id === shot ? { ...one, parameters: { ...one.parameters, prompt: `${promptOf(one)}, in rain` } } : one;
  const shots = frozen.shots.map(changed);
  const digests = new Map(shots.map((one) => [one.id, shotDigest(one)]));
  return {
    productionId: frozen.id,
    production: await store.putJson({ ...frozen, shots }),
    plan: { ...plan, shots: plan.shots.map((one) => ({ ...one, digest: digests.get(one.id) ?? one.digest })) },
  };
}

function promptOf(shot: FrozenShot | undefined): string {
  const prompt = shot?.parameters['prompt'];
  return typeof prompt === 'string' ? prompt : '';
}

function missedShotsOf({ production, renderId, shots, assembly, reason }: ProductionStatus): readonly MissedShot[] {
  const missing = shots.filter(({ state }) => state !== 'completed' && state !== 'skipped');
  return [
    ...missing.map(({ id, state, reason: why }) => ({ production, renderId, shot: id, state, reason: why ?? '' })),
    ...(assembly === 'failed'
      ? [{ production, renderId, shot: 'the film', state: assembly, reason: reason ?? '' }]
      : []),
  ];
}

async function decisionFor(
  film: DrillProduction,
  { id, parked, takes }: ShotStatus,
  siblings: readonly ShotStatus[],
  { sandbox, store, seed }: OperatorOptions,
): Promise<Decision | undefined> {
  if (parked === null) return undefined;
  const unpaid = (): Decision => drawDecision(film, id, siblings, seed);
  switch (parked.for) {
    case 'overdue': {
      const task = sandbox.tasks().find((one) => one.id === takes.at(-1)?.taskId);
      return { kind: task?.fate === 'never-ends' ? 'resubmit' : 'wait' };
    }
    case 'uncollected':
      return { kind: 'wait' };
    case 'budget':
      return { kind: 'skip' };
    case 'credits':
    case 'failed':
      return (takes.at(-1)?.take ?? 0) < MAX_TAKES_PER_SHOT ? unpaid() : undefined;
    case 'unclear': {
      const key = takes.at(-1)?.takeKey;
      const known = await knownTasks(store, film.frozen.id, id);
      const accepted = sandbox.tasks().find((task) => task.idempotencyKey === key && !known.has(task.id));
      return accepted === undefined ? unpaid() : { kind: 'adopt', taskId: accepted.id };
    }
  }
}

/**
 * Draws the decision on a shot without a paid task to collect: mostly another submit, sometimes an existing clip or a
 * skip. A shot to which another shot links is not skipped.
 */
function drawDecision(
  { frozen, plan }: DrillProduction,
  id: string,
  siblings: readonly ShotStatus[],
  seed: number,
): Decision {
  const isClip = (shot: string): boolean => plan.shots.some((one) => one.id === shot && one.output === 'video');
  const clip = siblings.flatMap((shot) =>
    shot.state === 'completed' && isClip(shot.id) ? (chosenTakeOf(shot)?.asset ?? []) : [],
  )[0];
  const hasLinks = plan.shots.some(({ links }) => links.some(({ shot }) => shot === id));
  const kind = pick(seededRandom(`decision ${frozen.id} ${id}`, seed), 'resubmit', 'resubmit', 'use', 'skip');
  if (kind === 'use' && clip != null && isClip(id)) return { kind, asset: clip };
  return { kind: kind === 'skip' && !hasLinks ? kind : 'resubmit' };
}

async function knownTasks({ ledger }: Store, productionId: string, shotId: string): Promise<ReadonlySet<string>> {
  const takes = await ledger.takes(productionId, shotId);
  return new Set(takes.flatMap(({ sendings }) => sendings.flatMap(({ accepted }) => accepted?.taskId ?? [])));
}
