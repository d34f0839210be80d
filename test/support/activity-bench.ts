import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { type Background, createActivities, createBackground, type DailiesActivities } from '../../activities';
import { type TaskInput } from '../../contracts/activities';
import { type ArbiterLine } from '../../contracts/gateway/arbiter';
import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type TakeRef } from '../../contracts/render/take';
import { createGatewayClient, createRedact, type GatewayClient } from '../../gateway';
import { openStore, type FolderStore } from '../../store';
import { temporaryFolder } from './temporary-folder';

/** Runs one activity at a time against any gateway, with a real store and without a Temporal server. */
export interface ActivityBench {
  readonly store: FolderStore;
  readonly gateway: GatewayClient;
  readonly production: AssetRef;
  readonly input: TaskInput;
  /**
   * The activities of a worker on this store.
   *
   * @param through reaches the store in another way.
   * @param arbiter default: none can be asked.
   * @param rendering default: nothing is rendered ahead of a film.
   * @param heartbeatNow default: every attempt counts.
   */
  activities(
    account?: string,
    through?: FolderStore,
    arbiter?: ArbiterLine,
    rendering?: Background,
    heartbeatNow?: () => Promise<void>,
  ): DailiesActivities;
  /** Lines that the workers reported. */
  readonly notices: readonly string[];
  run<Input, Result>(
    activity: (input: Input) => Promise<Result>,
    input: Input,
    environment?: Environment,
  ): Promise<Result>;
  /**
   * Runs an activity as Temporal does: repeats it after each retryable failure, with the last heartbeat's details, but
   * without delay.
   *
   * @returns also the types of the failures.
   */
  persist<Input, Result>(
    activity: (input: Input) => Promise<Result>,
    input: Input,
    onFailure?: (type: string | null | undefined) => void,
  ): Promise<{ readonly result: Result; readonly failures: readonly (string | null | undefined)[] }>;
  close(): Promise<void>;
}

/** Shorter than in production, but longer than a busy machine stalls. */
const STALL_MS = 5_000;

/** More than any retry limit that is tested here. */
const MOST_ATTEMPTS = 50;

/** Schedule-to-close timeout of an activity. */
const TOTAL_MS = 60_000;

/** Drops log lines of activities that fail on purpose. */
const QUIET = new DefaultLogger('ERROR', () => undefined);

type Environment = ConstructorParameters<typeof MockActivityEnvironment>[0];

export async function startBench(
  gatewayUrl: string,
  apiKey: string,
  film: FrozenProduction,
  media: { readonly ffmpegPath?: string } = {},
): Promise<ActivityBench> {
  const gateway = createGatewayClient({ baseUrl: gatewayUrl, apiKey });
  const store = await openStore(join(await temporaryFolder(), 'store'));
  const production = await store.putJson(film);
  const background = createBackground();
  const shotId = film.shots[0]?.id ?? '';
  const notices: string[] = [];
  return {
    store,
    gateway,
    production,
    notices,
    input: { productionId: film.id, production, shotId, links: [], renderId: 'render-1', attempt: 1, sibling: 0 },
    activities: (account = 'account', through = store, arbiter, rendering, heartbeatNow = () => Promise.resolve()) =>
      createActivities({
        gateway,
        store: through,
        account,
        fileValuePolicy: { fileValues: 'auto', dataUriMaxBytes: 1_000_000 },
        downloadPolicy: {
          allowedPrivateHosts: [new URL(gatewayUrl).host],
          maxBytes: 50_000_000,
          stallMs: STALL_MS,
          redact: createRedact(apiKey),
        },
        pollFloorMs: 100,
        heartbeatNow,
        background,
        ...media,
        onNotice: (line) => void notices.push(line),
        ...(arbiter === undefined ? {} : { arbiter }),
        ...(rendering === undefined ? {} : { rendering }),
      }),
    run: (activity, input, environment) =>
      new MockActivityEnvironment({ scheduleToCloseTimeoutMs: TOTAL_MS, ...environment }, { logger: QUIET }).run(
        activity,
        input,
      ),
    async persist(activity, input, onFailure) {
      const failures = [];
      for (let attempt = 1, heartbeatDetails: unknown; ; attempt += 1) {
        const environment = new MockActivityEnvironment({ attempt, heartbeatDetails }, { logger: QUIET });
        environment.on('heartbeat', (details: unknown) => (heartbeatDetails = details));
        try {
          return { result: await environment.run(activity, input), failures };
        } catch (error) {
          const isFinal = !(error instanceof ApplicationFailure) || error.nonRetryable === true;
          if (isFinal || attempt === MOST_ATTEMPTS) throw error;
          failures.push(error.type);
          onFailure?.(error.type);
        }
      }
    },
    async close() {
      await background.stop();
      await gateway.close();
    },
  };
}

/** Submits the bench's shot. The gateway must accept it. */
export async function acceptedTake(
  bench: ActivityBench,
): Promise<{ take: TakeRef; taskId: string; acceptedAt: string }> {
  const outcome = await bench.run(bench.activities().submits.submitTask, bench.input);
  if (outcome.state !== 'accepted') throw new Error(`the submit was ${outcome.state}`);
  return outcome;
}

export function oneShotFilm(
  parameters: Record<string, string | number | boolean> = { prompt: 'first light' },
): FrozenProduction {
  const shot = { id: 'dawn', model: { id: 'beta-2.5', output: 'video' as const }, parameters, files: {} };
  return { version: 1, id: 'film', title: 'Film', shots: [shot] };
}
