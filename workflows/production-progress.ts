import { ApplicationFailure } from '@temporalio/workflow';
import type { AssetRef } from '../contracts/asset';
import type { ProductionState } from '../contracts/manifest';
import type { ProductionStatus, ShotStatus } from '../contracts/status';
import type { TakeProgress } from '../contracts/take';
import type { ProductionInput, ShotOutcome, ShotProgress } from '../contracts/workflows';
import type { TakeOutput } from '../contracts/activities';
import type { Standings } from './plan';

type MutableShot = { -readonly [Field in keyof ShotStatus]: ShotStatus[Field] } & { output: TakeOutput | null };

/**
 * Where a production stands, kept while it runs. The only thing in the workflow that changes.
 *
 * Times come from the workflow's clock, so a replay gives the same.
 */
export class ProductionProgress {
  readonly #input: ProductionInput;
  readonly #shots: ReadonlyMap<string, MutableShot>;
  readonly #startedAt = timestamp();
  #state: ProductionState = 'running';
  #assembly: ProductionStatus['assembly'];
  #film: AssetRef | null = null;
  #reason: string | null = null;
  #endedAt: string | null = null;

  constructor(input: ProductionInput) {
    this.#input = input;
    this.#assembly = input.plan.assemble ? 'waiting' : 'none';
    this.#shots = new Map(
      input.plan.shots.map(({ id, model }) => [
        id,
        {
          id,
          model,
          state: 'pending',
          reason: null,
          parked: null,
          takes: [],
          startedAt: null,
          endedAt: null,
          output: null,
        },
      ]),
    );
  }

  standings(): Standings {
    return new Map(
      [...this.#shots].map(([id, { state, takes, output }]) => {
        const takeKey = takes.at(-1)?.takeKey;
        return [id, { state, ...(takeKey === undefined ? {} : { takeKey }), ...(output === null ? {} : { output }) }];
      }),
    );
  }

  inFlight(): number {
    return [...this.#shots.values()].filter(({ state }) => state === 'rendering').length;
  }

  shotStarted(id: string): void {
    Object.assign(this.#shot(id), { state: 'rendering', startedAt: timestamp() });
  }

  shotProgressed({ shotId, take, parked }: ShotProgress): void {
    const shot = this.#shots.get(shotId);
    // A signal may come late, or from a shot of an older run.
    if (shot?.state !== 'rendering' && shot?.state !== 'parked') return;
    shot.takes = withTake(shot.takes, take);
    shot.state = parked === null ? 'rendering' : 'parked';
    shot.reason = parked?.reason ?? null;
    const since = shot.parked?.for === parked?.for ? shot.parked?.since : undefined;
    shot.parked = parked === null ? null : { for: parked.for, since: since ?? timestamp() };
  }

  shotEnded(id: string, { state, reason, take, output }: ShotOutcome): void {
    const shot = this.#shot(id);
    if (take !== null) shot.takes = withTake(shot.takes, take);
    Object.assign(shot, { state, reason, output, parked: null, endedAt: timestamp() });
  }

  shotBlocked(id: string, by: string): void {
    Object.assign(this.#shot(id), { state: 'blocked', reason: `waits for ${by}, which was not rendered` });
  }

  /** Shots that were not started when the production was cancelled. */
  cancelPending(): void {
    for (const shot of this.#shots.values()) {
      if (shot.state === 'pending') shot.state = 'cancelled';
    }
  }

  /**
   * The clips for the film in its order, without pictures, sounds and texts, and without the shots that a person
   * skipped; undefined where a shot is missing.
   */
  clips(): { shotId: string; asset: AssetRef }[] | undefined {
    const wanted = [...this.#shots.values()].filter(({ state }) => state !== 'skipped');
    if (wanted.some(({ output }) => output === null)) return undefined;
    return wanted.flatMap(({ id, output }) =>
      output?.asset.mediaType.startsWith('video/') === true ? [{ shotId: id, asset: output.asset }] : [],
    );
  }

  assemblyIs(assembly: ProductionStatus['assembly'], film: AssetRef | null = null): void {
    this.#assembly = assembly;
    this.#film = film;
  }

  end(state: ProductionState, reason: string | null): void {
    this.#state = state;
    this.#reason = reason;
    this.#endedAt = timestamp();
  }

  status(): ProductionStatus {
    return {
      production: this.#input.productionId,
      title: this.#input.plan.title,
      state: this.#state,
      renderId: this.#input.renderId,
      frozen: this.#input.production,
      shots: [...this.#shots.values()].map(({ output: _output, ...shot }) => shot),
      film: this.#film,
      assembly: this.#assembly,
      reason: this.#reason,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
    };
  }

  #shot(id: string): MutableShot {
    const shot = this.#shots.get(id);
    if (shot === undefined) throw ApplicationFailure.nonRetryable(`the production has no shot "${id}"`, 'AssetMissing');
    return shot;
  }
}

function withTake(takes: readonly TakeProgress[], take: TakeProgress): readonly TakeProgress[] {
  return [...takes.filter((known) => known.take !== take.take), take];
}

function timestamp(): string {
  return new Date().toISOString();
}
