import { z } from 'zod';
import { FrameSource, Sha256 } from './asset';
import { PARKED_FOR } from './render/decision';
import { NOTICE_TYPES } from './notice';
import { QuoteSum } from './money/quote';
import { PRODUCTION_STATES, SHOT_STATES, TAKE_STATES } from './states';

const ProductionState = z.enum(PRODUCTION_STATES);
const ShotState = z.enum(SHOT_STATES);
const TakeState = z.enum(TAKE_STATES);

export const ManifestTake = z.strictObject({
  /** Counts from 1 within the shot. */
  take: z.int().positive(),
  state: TakeState,
  taskId: z.string().nullable(),
  /** Credits that the gateway reported; null if it reported none; 0 for a take with `aliasOf`. */
  credits: z.number().nullable(),
  /** The take of another production that this take reuses at no cost. */
  aliasOf: z.strictObject({ production: z.string(), shot: z.string(), take: z.int() }).nullable(),
  /** Null if there is no output, or if the output is not in the store. */
  asset: z
    .strictObject({
      path: z.string(),
      sha256: Sha256,
      sizeBytes: z.int(),
      mediaType: z.string(),
      durationSeconds: z.number().nullable(),
    })
    .nullable(),
  lastFrame: z.strictObject({ path: z.string(), sha256: Sha256, source: FrameSource }).nullable(),
  /** When a person pruned the output, ISO 8601; null if nobody did, or if the output was collected again since. */
  pruned: z.string().nullable(),
});
export type ManifestTake = z.infer<typeof ManifestTake>;

/** State of a production's budget, in credits. */
export const ManifestBudget = z.strictObject({
  credits: z.number(),
  /** Sum of the credits that the gateway reported, over all renders. */
  spent: z.number(),
  /** Reserved for tasks that are under way, unclear, or ended without a price. */
  reserved: z.number(),
  /** The part of `reserved` for sendings that may or may not be charged. */
  unclear: z.number(),
  /** The part of `reserved` for tasks with no price and no estimate, and the tasks' shots. Absent if there are none. */
  unpriced: z.strictObject({ credits: z.number(), shots: z.array(z.string()).readonly() }).exactOptional(),
  /** Price of the tasks still to be paid for; null if unknown, after completion, and in files. */
  rest: QuoteSum.nullable(),
});
export type ManifestBudget = z.infer<typeof ManifestBudget>;

/** Difference of a clip from the first clip of its chain. */
export const ManifestDrift = z.strictObject({
  /** The chain's first shot. */
  first: z.string(),
  /** Difference in mean luma; positive if this clip is brighter. */
  brightnessPercent: z.number(),
  /** Difference in luma's standard deviation; positive if this clip has more. */
  contrastPercent: z.number(),
  /** Distance of the mean colors after subtracting each clip's brightness, in 8-bit levels. */
  colorDistance: z.number().nonnegative(),
  /** Whether the difference is noticeable and not expected. */
  warning: z.boolean(),
  /** Present if this shot, or one between it and the chain's first shot, has `drift: expected`. */
  expected: z.literal(true).exactOptional(),
  /** Whether `anchor: true` could reduce the drift. False if the shot starts on the first clip, or has an anchor. */
  anchorHelps: z.boolean(),
});
export type ManifestDrift = z.infer<typeof ManifestDrift>;

/** Null if the price is unknown. */
const Credits = z.strictObject({ low: z.number(), high: z.number() }).nullable();

/** Possible charges, in credits, for a shot that waits for a person: those so far, and those that each answer adds. */
export const ParkedCosts = z.strictObject({
  /** Number of submits that the gateway may or may not have accepted. */
  unclearSubmits: z.int().nonnegative(),
  /** Possible charge for these submits. `low` is 0, since the gateway may have accepted none of them. */
  mayBeCharged: Credits,
  /** Further charges for each answer of `dailies resolve`, the usual answer first. */
  answers: z.array(z.strictObject({ answer: z.enum(['adopt', 'resubmit', 'skip', 'use', 'wait']), credits: Credits })),
});
export type ParkedCosts = z.infer<typeof ParkedCosts>;

export const ManifestShot = z.strictObject({
  id: z.string(),
  state: ShotState,
  reason: z.string().nullable(),
  /** When the shot's task was last found pending, ISO 8601. Only in the output of `dailies status`, during a render. */
  lastReadAt: z.string().exactOptional(),
  /** While the shot is parked: the reason, since when (ISO 8601), and the command to type. Otherwise null. */
  parked: z
    .strictObject({
      for: z.enum(PARKED_FOR),
      since: z.string(),
      /** Present if an answer has to name a take: several takes are parked, or the parked take is not the newest. */
      takes: z
        .array(
          z.strictObject({
            take: z.int().positive(),
            for: z.enum(PARKED_FOR),
            /** Price of sending the take again; null if unknown. Not in files. */
            resubmit: Credits.exactOptional(),
          }),
        )
        .readonly()
        .exactOptional(),
      command: z.string(),
      /** Not in files. */
      costs: ParkedCosts.optional(),
    })
    .nullable(),
  /**
   * While the shot waits for an approval: since when (ISO 8601), the takes to choose from, and the command to type.
   * Otherwise null.
   */
  review: z
    .strictObject({
      since: z.string(),
      takes: z.array(z.int()),
      command: z.string(),
      /** When the automatic decision is made, ISO 8601; null if there is none. */
      until: z.string().nullable(),
      /** The automatic decision; null if there is none. */
      otherwise: z.enum(['approve', 'skip']).nullable(),
    })
    .nullable(),
  takes: z.array(ManifestTake),
  /**
   * The take that is chosen for the film and for the shots that start on its frames; null if there is none.
   *
   * It need not be the newest, for example if a change of the prompt was undone.
   */
  filmTake: z.int().positive().nullable(),
  /** Null if the shot is in no chain, is the chain's first, or was not measured. */
  drift: ManifestDrift.nullable(),
});
export type ManifestShot = z.infer<typeof ManifestShot>;

/** `lastReadAt` by shot id. Omits shots whose task was never found pending. */
export type LastReads = ReadonlyMap<string, Required<Pick<ManifestShot, 'lastReadAt'>>>;

/** A notice that this render sent to its `notify` receiver. */
export const ManifestNotice = z.strictObject({
  id: z.string(),
  type: z.enum(NOTICE_TYPES),
  /** `trying`: the last attempt failed, and another one follows. `undelivered`: no attempt follows. */
  state: z.enum(['delivered', 'trying', 'undelivered']),
  /** Number of attempts to post the notice. After a day without delivery, the last attempts are counted anew. */
  attempts: z.int(),
  /** When the last result was recorded, ISO 8601. */
  at: z.string(),
  /** Why the last attempt failed; null if the notice was delivered. */
  reason: z.string().nullable(),
});
export type ManifestNotice = z.infer<typeof ManifestNotice>;

/** A production's progress towards its `readyBy`. Times are ISO 8601. */
export const ManifestReadyBy = z.strictObject({
  at: z.string(),
  /** The time from which its shots are urgent; null if usual times are unknown, or if no shot is open. */
  urgentFrom: z.string().nullable(),
  /** When the next shot switches to the fallback; null if none will, or if usual times are unknown. */
  lastMoment: z.string().nullable(),
  /** The shots that use the fallback. */
  fallback: z.array(z.strictObject({ shot: z.string(), at: z.string() })),
  /** Why the production may be late, or was late; null if there is no such reason. */
  warning: z.string().nullable(),
});
export type ManifestReadyBy = z.infer<typeof ManifestReadyBy>;

/** When a running production is expected to end, by its models' usual times. Times are ISO 8601. */
export const ManifestExpected = z.strictObject({
  /** The median. */
  at: z.string(),
  /** 80 % of the simulated ends lie between `earliest` and `latest`. */
  earliest: z.string(),
  latest: z.string(),
  /** Whether any shot waits for a person, now or later. The times leave out the shots that depend on such a shot. */
  waitsThen: z.boolean(),
});
export type ManifestExpected = z.infer<typeof ManifestExpected>;

/**
 * The object that `--json` prints and the manifest file contains. All paths are absolute.
 *
 * MAINTENANCE: Other programs depend on this object. Add fields, but never change any.
 */
export const Manifest = z.strictObject({
  production: z.string(),
  title: z.string(),
  state: ProductionState,
  /** Why the production waits, or why it ended in this state; null if there is no reason to give. */
  reason: z.string().nullable(),
  film: z
    .strictObject({ path: z.string(), sha256: Sha256, sizeBytes: z.int(), durationSeconds: z.number() })
    .nullable(),
  shots: z.array(ManifestShot),
  /** While the production is paused: the reason, since when (ISO 8601), and the command to type. Otherwise null. */
  paused: z.strictObject({ reason: z.string(), since: z.string(), command: z.string() }).nullable(),
  credits: z.strictObject({ charged: z.number(), unclearSubmits: z.int() }),
  budget: ManifestBudget.nullable(),
  /** Null without `readyBy`, and for a running render whose status was read from the store. */
  readyBy: ManifestReadyBy.nullable(),
  /**
   * Null if there is no estimate: in files, while paused or held, after the render, without Temporal, or if a usual
   * time, the plan or a take's record is missing.
   */
  expected: ManifestExpected.nullable(),
  /** In the order of their events. Empty without `notify`, or if nothing was posted yet. */
  notices: z.array(ManifestNotice),
  /**
   * The folder of the last publication; null if there was none, or if the film and the contact sheet are both gone.
   *
   * In the output of `status`, the manifest's own `film.path` is a path in the store, not in this folder.
   */
  out: z
    .strictObject({
      folder: z.string(),
      /** Null if the folder does not contain this film. */
      film: z.string().nullable(),
      sheet: z.string().nullable(),
    })
    .nullable(),
});
export type Manifest = z.infer<typeof Manifest>;
