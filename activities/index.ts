import {
  type DecisionActivities,
  type MediaActivities,
  type NoticeActivities,
  type PollActivities,
  type SubmitActivities,
} from '../contracts/activities';
import { type ArbiterLine } from '../contracts/gateway/arbiter';
import { type LatestTake, type LatestTakeLine } from '../contracts/gateway/latest-take';
import { type ScheduleActivities, type ScheduleLine } from '../contracts/render/scheduled-run';
import { type BatchActivities } from '../contracts/render/batch';
import { type PriceTable } from '../contracts/money/price-table';
import { type FileValuePolicy } from '../contracts/file/file-values';
import { type DownloadPolicy, type GatewayClient, type HookPolicy } from '../gateway';
import { findFfmpeg } from '../media';
import { type Quotes, type RunsHold, type Store } from '../store';
import { AccountGate } from './account/account-gate';
import { type Background, createBackground } from './background';
import { createAnchorFrames } from './request/anchor-frames';
import { createArchiveProduction } from './film/archive-production';
import { createApplyFallback } from './run/apply-fallback';
import { createBeginRun } from './run/begin-run';
import { createAssembleFilm } from './film/assemble-film';
import { createPollActivities } from './await/await-task';
import { createAwaitRun } from './run/await-run';
import { createBatchActivities } from './run/batch-rows';
import { type HeartbeatNow } from './pay/confirm-attempt';
import { createChooseTake } from './pay/choose-take';
import { createDecide } from './pay/decide';
import { createNoticeActivities } from './notice/deliver-notice';
import { createDownloadAsset } from './collect/download-asset';
import { createExecutes } from './account/executes';
import { createFrozenProductions } from './frozen-productions';
import { createKeepTask } from './kept-task';
import { createLastFrame, createTakeLastFrame } from './collect/last-frame';
import { createLatestTakes } from './account/latest-takes';
import { Leases } from './account/leases';
import { createLookUpSpending } from './pay/look-up-spending';
import { createPrepareClip } from './media/prepare-clip';
import { createSendTask } from './pay/send-task';
import { type SigningSecret } from './notice/sign-notice';
import { createStoreOutput } from './collect/store-output';
import { createSubmitActivities } from './pay/submit-task';
import { knownTimes } from './await/known-times';
import { tellOfRefusedKey } from './account/key-notice';
import { createSurvey } from './account/survey';
import { createRenderAhead } from './film/render-ahead';
import { mediaTrouble, whileLedgerServes } from './translate-error';

export { type Background, createBackground };

export interface ActivityDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  /** The gateway account that pays; part of every take key. */
  readonly account: string;
  readonly fileValuePolicy: FileValuePolicy;
  readonly downloadPolicy: DownloadPolicy;
  /** Shortest time between two reads of one task. */
  readonly pollFloorMs: number;
  /** Asks Temporal, right before a task is paid for, whether the attempt still counts. */
  readonly heartbeatNow: HeartbeatNow;
  /** Path of ffmpeg, if configured. */
  readonly ffmpegPath?: string;
  /** For budgets and limits in credits: prices of tasks whose kind was never charged yet. Default: none. */
  readonly prices?: PriceTable;
  /** Connects to the account's arbiter. Default: no limits apply. */
  readonly arbiter?: ArbiterLine;
  /** Tells whether the ledger is an older copy. Default: not checked. */
  readonly latestTake?: LatestTakeLine;
  /** Called when the ledger is found to be an older copy. The worker must end. */
  readonly onStale?: (latest: LatestTake) => void;
  /** Tells whether a schedule is paused, and how a run ended. Default: every run begins, and none is awaited. */
  readonly schedules?: ScheduleLine;
  /** Tells whether scheduled runs are held. Default: they are not. */
  readonly runsHold?: Pick<RunsHold, 'isHeld'>;
  /**
   * Secrets that sign notices, and limits for posting. Default: no notice is sent, and each waits for a worker with a
   * secret.
   */
  readonly notify?: { readonly secrets: readonly SigningSecret[]; readonly policy: HookPolicy };
  /** Runs work that no activity waits for. Default: a queue that stops only with the process. */
  readonly background?: Background;
  /** Called once for a problem that every attempt would report, such as a refused key. Default: a process warning. */
  readonly onNotice?: (line: string) => void;
  /** Runs the rendering of film pieces ahead of the assembly. Default: all pieces are rendered in the assembly. */
  readonly rendering?: Background;
}

/**
 * The activities in groups. The first three share the queue of workflows; each other group has its own queue.
 */
export interface DailiesActivities {
  /** Served by the queue of workflows, so that no decision waits behind submits or downloads. */
  readonly decisions: DecisionActivities;
  /** Served by the queue of workflows: they are small, and a run should begin on time. */
  readonly schedules: ScheduleActivities;
  /** Served by the queue of workflows: they only read and write records. */
  readonly batches: BatchActivities;
  readonly submits: SubmitActivities;
  readonly polls: PollActivities;
  readonly media: MediaActivities;
  readonly notices: NoticeActivities;
}

export function createActivities(dependencies: ActivityDependencies): DailiesActivities {
  const {
    store,
    account,
    fileValuePolicy,
    downloadPolicy,
    pollFloorMs,
    heartbeatNow,
    ffmpegPath,
    prices = {},
    arbiter: line,
    latestTake,
    onStale = () => undefined,
    schedules,
    runsHold,
    notify = { secrets: [], policy: { allowedPrivateHosts: [] } },
    background = createBackground(),
    rendering,
    onNotice = (line: string) => {
      process.emitWarning(line);
    },
  } = dependencies;
  const gateway = tellOfRefusedKey(dependencies.gateway, account, onNotice);
  const productions = createFrozenProductions(store);
  const stored = store.account(account);
  const { usualTimes } = stored;
  const keepTask = createKeepTask(account, store, productions);
  const executes = createExecutes(stored.timedOutExecutes);
  const { submitInstead } = executes;
  const gate = new AccountGate({ gateway, gates: stored, submitInstead });
  const download = createDownloadAsset(store, downloadPolicy);
  const quotes = (): Quotes => stored.quotes(prices);
  const leases = new Leases({ account, store, quotes, line });
  const ffmpeg = (): ReturnType<typeof findFfmpeg> =>
    findFfmpeg({ ffmpegPath }).catch((error: unknown) => {
      throw mediaTrouble(error);
    });
  const takeLastFrame = createTakeLastFrame({ gateway, store, download, ffmpeg });
  const renderAhead = createRenderAhead({ store, ffmpeg, rendering });
  const output = { gateway, store, productions, keepTask, download, ffmpeg, takeLastFrame, renderAhead, background };
  return {
    decisions: {
      prepareClip: createPrepareClip(store, ffmpeg),
      decide: createDecide(gateway, store, keepTask),
      chooseTake: createChooseTake(account, store, productions),
      lookUpSpending: createLookUpSpending(account, store, quotes),
      survey: createSurvey({ account, gateway, store, quotes }),
      lookUpTimes: ({ models }) => whileLedgerServes(() => knownTimes(usualTimes, stored.limits, models)),
      applyFallback: createApplyFallback({ account, store, productions }),
    },
    schedules: {
      beginRun: createBeginRun(store, account, { schedules, runsHold }),
      awaitRun: createAwaitRun({ schedules }),
    },
    batches: createBatchActivities({ account, store, productions }),
    submits: createSubmitActivities({
      account,
      store,
      productions,
      anchorFrames: createAnchorFrames(store, ffmpeg),
      gate,
      executes,
      sendTask: createSendTask({ gateway, store, account, policy: fileValuePolicy, usualTimes }),
      quotes,
      leases,
      latestTakes: createLatestTakes({ store, line: latestTake, onStale }),
      heartbeatNow,
    }),
    polls: createPollActivities({ gateway, store, usualTimes, keepTask, pollFloorMs, leases }),
    media: {
      storeOutput: createStoreOutput(output),
      lastFrame: createLastFrame(store, keepTask, takeLastFrame),
      assembleFilm: createAssembleFilm({ store, productions, ffmpeg, renderAhead }),
      archiveProduction: createArchiveProduction(store, renderAhead),
    },
    notices: createNoticeActivities({ store, ...notify }),
  };
}
