import { join } from 'node:path';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { type ActivityDependencies } from '../../activities';
import { connectTemporal, createDailiesClient, type DailiesClient, type TemporalConnection } from '../../client';
import { type AssetRef } from '../../contracts/asset';
import { frameLinks } from '../../contracts/file/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type PriceTable } from '../../contracts/money/price-table';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type PlannedShot, type ProductionPlan } from '../../contracts/render/plan';
import { type RenderBasis } from '../../contracts/render/render-basis';
import { type ProductionStatus } from '../../contracts/status';
import { createGatewayClient, type DownloadPolicy } from '../../gateway';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox';
import { openStore, shotDigest, type FolderStore } from '../../store';
import { findTemporalCli } from '../../workers/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../workers/temporal-server';
import { type DailiesWorker, type DailiesWorkerOptions, startWorkerOn } from '../../workers/worker';
import { secret } from '../../workers/config/secret';
import { NOTIFY_SECRET } from './hook-receiver';
import { PLAIN } from './pictures';
import { replayAll } from './replay';
import { temporaryFolder } from './temporary-folder';

/** All parts are real: Temporal's dev server, the sandbox, a store, a worker and a client. */
export interface Rig {
  readonly temporal: TemporalConnection;
  readonly server: TemporalServer;
  readonly store: FolderStore;
  readonly client: DailiesClient;
  readonly sandbox: Sandbox;
  /** Renders and waits for the end. */
  render(film: FrozenProduction, plan?: Partial<ProductionPlan>): Promise<ProductionStatus>;
  start(film: FrozenProduction, plan?: Partial<ProductionPlan>): Promise<void>;
  startWorker(policy?: Partial<DownloadPolicy>, own?: OwnWorker): Promise<DailiesWorker>;
  /** Replays the workflow histories on the server, one of each shape, then ends everything. */
  close(): Promise<void>;
}

const BUNDLE = { codePath: join(__dirname, '..', '..', 'dist', 'workflow-bundle.js') };

export const RIG_KEY = 'rig-key-that-must-not-be-seen-anywhere';

const RIG_NOTIFY: NonNullable<ActivityDependencies['notify']> = {
  secrets: [secret(NOTIFY_SECRET)],
  policy: { allowedPrivateHosts: ['127.0.0.1'], totalMs: 2_000 },
};

/** Options that a worker may override. */
export type OwnWorker = Partial<Pick<DailiesWorkerOptions, 'name' | 'ownActivities' | 'onNotice'>>;

export interface WorkerOptions {
  /** False if the test runs workers as separate processes. */
  readonly inProcess?: boolean;
  readonly pollFloorMs?: number;
  /** The workers' prices. Default: none. */
  readonly prices?: PriceTable;
  /** A store that is there already. Default: a new one. */
  readonly storeFolder?: string;
  /** Wraps the store for the workers. */
  readonly through?: (store: FolderStore) => FolderStore;
  /** Replaces the rig's gateway. */
  readonly gatewayUrl?: string;
  /**
   * Path of compiled workflows that run in addition to Dailies' own; the histories are replayed with these. Default:
   * none.
   */
  readonly replayedBy?: string;
  /** Path of the bundle that the workers run. Default: the built one. */
  readonly bundle?: string;
  /** How the workers send notices. Default: signed, also to this machine. */
  readonly notify?: NonNullable<ActivityDependencies['notify']>;
}

export async function startRig(
  options: Partial<SandboxOptions> = {},
  {
    inProcess = true,
    pollFloorMs = 250,
    gatewayUrl,
    prices = {},
    notify = RIG_NOTIFY,
    replayedBy,
    bundle = BUNDLE.codePath,
    storeFolder,
    through = (store) => store,
  }: WorkerOptions = {},
): Promise<Rig> {
  try {
    const logging = { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} };
    Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging }, shutdownSignals: [] });
  } catch {
    // Another rig of this process has installed it.
  }
  const folder = await temporaryFolder();
  const cli = findTemporalCli(process.env);
  if (cli === undefined) throw new Error('no temporal CLI; run npm run setup');
  const [server, sandbox, store] = await Promise.all([
    startTemporalServer({ cli: cli.path, logFile: join(folder, 'temporal.log') }),
    startSandbox({ folder: join(folder, 'sandbox'), apiKey: RIG_KEY, ...PLAIN, ...options }),
    openStore(storeFolder ?? join(folder, 'store')),
  ]);
  const baseUrl = gatewayUrl ?? sandbox.url;
  const gateway = createGatewayClient({ baseUrl, apiKey: RIG_KEY });
  const connection = await NativeConnection.connect({ address: server.address });
  const temporal = await connectTemporal({ address: server.address });
  const account = 'sandbox';
  const client = createDailiesClient({ temporal: temporal.client, store, account });
  const workers: DailiesWorker[] = [];

  async function startOneWorker(policy: Partial<DownloadPolicy> = {}, own: OwnWorker = {}): Promise<DailiesWorker> {
    const worker = await startWorkerOn({
      connection,
      namespace: 'default',
      workflowBundle: { codePath: bundle },
      activities: {
        gateway,
        store: through(store),
        account,
        fileValuePolicy: { fileValues: 'auto', dataUriMaxBytes: 20_000_000 },
        downloadPolicy: { allowedPrivateHosts: [new URL(baseUrl).host], maxBytes: 1_000_000_000, ...policy },
        pollFloorMs,
        prices,
        notify,
      },
      onNotice: () => undefined,
      ...own,
    });
    workers.push(worker);
    return worker;
  }
  if (inProcess) await startOneWorker();

  const rig: Rig = {
    temporal,
    server,
    store,
    client,
    sandbox,
    startWorker: startOneWorker,
    async start(film, plan) {
      const production = await store.putJson(film);
      await client.render({ productionId: film.id, production, plan: planOf(film, plan) });
    },
    async render(film, plan) {
      await rig.start(film, plan);
      return client.ended(film.id);
    },
    async close() {
      for (const worker of workers) worker.stop();
      await Promise.all(workers.map(({ ended }) => ended));
      await replayAll(temporal, replayedBy);
      await gateway.close();
      await connection.close();
      await temporal.close();
      await Promise.all([sandbox.close(), server.stop()]);
    },
  };
  return rig;
}

/** A shot of beta-video that renders fast. */
export function betaShot(id: string, changes: Partial<FrozenShot> = {}): FrozenShot {
  return {
    id,
    model: { id: 'beta-2.5', output: 'video' },
    parameters: { prompt: `the lighthouse, ${id}`, duration: 4, resolution: '480p', colorDepth: '8bit' },
    files: {},
    ...changes,
  };
}

/** The same, starting on the last frame of another shot. */
export function linkedShot(id: string, from: string, changes: Partial<FrozenShot> = {}): FrozenShot {
  return betaShot(id, { files: { startFrame: { kind: 'link', shot: from, frame: 'last' } }, ...changes });
}

/** A shot with a picture, for tests that need no clip: it is made in a moment. */
export function pictureShot(id: string, changes: Partial<FrozenShot> = {}): FrozenShot {
  const model = { id: 'pixel-image-1', output: 'image' as const };
  return betaShot(id, { model, parameters: { prompt: `the lighthouse, ${id}` }, ...changes });
}

export function film(id: string, shots: FrozenShot[]): FrozenProduction {
  const assembly = { transition: { kind: 'cut' as const }, subtitles: false };
  return { version: 1, id, title: `Film ${id}`, shots, assembly, output: { file: 'film.mp4' } };
}

export function planOf(production: FrozenProduction, changes: Partial<ProductionPlan> = {}): ProductionPlan {
  return {
    title: production.title,
    maxInFlight: 16,
    assemble: true,
    shots: production.shots.map((shot) => ({
      id: shot.id,
      model: shot.model.id,
      output: shot.model.output,
      deadlineSeconds: 900,
      onUnclear: 'park' as const,
      retryFailed: 0,
      onFailure: 'park' as const,
      takes: 1,
      review: null,
      directed: false,
      digest: shotDigest(shot),
      links: frameLinks(shot),
    })),
    ...changes,
  };
}

/** A production's planned shots, all with the same rules. */
export function shotsBy(rules: Partial<PlannedShot>, production: FrozenProduction): readonly PlannedShot[] {
  return planOf(production).shots.map((shot) => ({ ...shot, ...rules }));
}

/** Resets a production's workflow to its first workflow task, so that it starts all of its shots again. */
export async function resetProduction({ temporal: { client }, store }: Rig, id: string): Promise<void> {
  const workflowId = productionWorkflowId(store.id, id);
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const first = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done != null);
  await client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    reason: 'a test',
    requestId: `reset ${id}`,
    workflowTaskFinishEventId: first?.eventId ?? null,
  });
}

/** Environment variables for a process that uses the rig. */
export function rigEnv({ server, sandbox, store }: Rig): Readonly<Record<string, string>> {
  return {
    TEMPORAL_ADDRESS: server.address,
    DAILIES_GATEWAY_URL: sandbox.url,
    DAILIES_GATEWAY_KEY: RIG_KEY,
    DAILIES_GATEWAY_ACCOUNT: 'sandbox',
    DAILIES_STORE: store.folder,
  };
}

/** The basis of a production whose file contains exactly this production. */
export async function basisOf(store: FolderStore, production: AssetRef, plan: ProductionPlan): Promise<RenderBasis> {
  return { plan: await store.putJson(plan), written: production, maxInFlight: null, unattended: false };
}
