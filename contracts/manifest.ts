import { z } from 'zod';
import { FrameSource, Sha256 } from './asset';
import { PARKED_FOR } from './decision';
import { NOTICE_TYPES } from './notice';
import { QuoteSum } from './quote';

/**
 * The object that `--json` prints and the manifest holds. Other programs rely on it: fields are added, never changed.
 * All paths are absolute.
 */

export const ProductionState = z.enum(['running', 'completed', 'incomplete', 'cancelled']);
export type ProductionState = z.infer<typeof ProductionState>;

export const ShotState = z.enum([
  'pending',
  'rendering',
  'completed',
  'failed',
  'parked',
  /** Waits for an approval. */
  'review',
  'blocked',
  'skipped',
  'cancelled',
]);
export type ShotState = z.infer<typeof ShotState>;

export const TakeState = z.enum(['submitting', 'rendering', 'completed', 'failed', 'unclear']);
export type TakeState = z.infer<typeof TakeState>;

export const ManifestTake = z.strictObject({
  /** Counts from 1 within the shot, as a person sees it. */
  take: z.int().positive(),
  state: TakeState,
  taskId: z.string().nullable(),
  /** Credits that the gateway reported; null where it reported none. */
  credits: z.number().nullable(),
  /** The take of another production that it reuses, at no cost. */
  aliasOf: z.strictObject({ production: z.string(), shot: z.string(), take: z.int() }).nullable(),
  /** Null where it left nothing, or that is not in the store. */
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
  /** When a person had freed what it left, ISO 8601; null where it was not, or was collected anew since. */
  pruned: z.string().nullable(),
});
export type ManifestTake = z.infer<typeof ManifestTake>;

/** Where a production's budget stands, in credits. */
export const ManifestBudget = z.strictObject({
  credits: z.number(),
  /** By the gateway's own figures, in all renders. */
  spent: z.number(),
  /** For what is under way, unclear, or has ended without a price. */
  reserved: z.number(),
  /** The part of it of which nobody can say whether it is charged. */
  unclear: z.number(),
  /** The part of it that is held for tasks whose price nobody knows yet, and whose shots they are; absent where there is none. */
  unpriced: z.strictObject({ credits: z.number(), shots: z.array(z.string()).readonly() }).exactOptional(),
  /** What is still to be paid for, as `status` tells it; null in the manifest of an ended render. */
  rest: QuoteSum.nullable(),
});
export type ManifestBudget = z.infer<typeof ManifestBudget>;

/** How far a clip is off the first one of its chain. */
export const ManifestDrift = z.strictObject({
  /** The chain's first shot. */
  first: z.string(),
  /** Mean luma, and its standard deviation, against the first clip's; more is positive. */
  brightnessPercent: z.number(),
  contrastPercent: z.number(),
  /** Of the mean colours, brightness apart; in levels of 255. */
  colorDistance: z.number().nonnegative(),
  /** Whether it is further off than passes unseen, and nobody has said that this is meant. */
  warning: z.boolean(),
  /** Present where that is meant: the shot, or one before it in the chain, has `drift: expected`. */
  expected: z.literal(true).exactOptional(),
  /** Whether `anchor: true` would change the frame that it starts on: not that of the first clip, nor one that is corrected. */
  anchorHelps: z.boolean(),
});
export type ManifestDrift = z.infer<typeof ManifestDrift>;

/** Null if the price is unknown. */
const Credits = z.strictObject({ low: z.number(), high: z.number() }).nullable();

/** What a shot that waits for a person may have cost, and what each answer would cost in addition. */
export const ParkedCosts = z.strictObject({
  /** The number of submits that the gateway may or may not have accepted. */
  unclearSubmits: z.int().nonnegative(),
  /** What the gateway may have charged for these; `low` is 0, since it may have accepted none. */
  mayBeCharged: Credits,
  /** What the gateway would charge from now on for each answer of `dailies resolve`, the usual answer first. */
  answers: z.array(z.strictObject({ answer: z.enum(['adopt', 'resubmit', 'skip', 'use', 'wait']), credits: Credits })),
});
export type ParkedCosts = z.infer<typeof ParkedCosts>;

export const ManifestShot = z.strictObject({
  id: z.string(),
  state: ShotState,
  reason: z.string().nullable(),
  /** While it waits for a person: for what, since when (ISO 8601), and what to type. */
  parked: z
    .strictObject({
      for: z.enum(PARKED_FOR),
      since: z.string(),
      command: z.string(),
      /** Only in the output of `dailies status`. */
      costs: ParkedCosts.optional(),
    })
    .nullable(),
  /** While it waits for an approval: since when (ISO 8601), of which of its takes, and what to type. */
  review: z
    .strictObject({
      since: z.string(),
      takes: z.array(z.int()),
      command: z.string(),
      /** When it is decided by itself, if nobody answers (ISO 8601); null where it waits for ever. */
      until: z.string().nullable(),
      /** What is decided then; null where nothing is. */
      otherwise: z.enum(['approve', 'skip']).nullable(),
    })
    .nullable(),
  takes: z.array(ManifestTake),
  /**
   * The take that stands for the shot, in the film and in the shots that start on its frames; null where there is none.
   * It need not be the last one: a prompt that was tried before has its take already.
   */
  filmTake: z.int().positive().nullable(),
  /** Null where it is in no chain, is its chain's first, or has not been measured. */
  drift: ManifestDrift.nullable(),
});
export type ManifestShot = z.infer<typeof ManifestShot>;

/** A notice of the `notify` of this render, and what became of it. */
export const ManifestNotice = z.strictObject({
  id: z.string(),
  type: z.enum(NOTICE_TYPES),
  /** `trying`: it was posted in vain, and is posted again. */
  state: z.enum(['delivered', 'trying', 'undelivered']),
  /** How often it was posted. */
  attempts: z.int(),
  /** Since when it stands so, ISO 8601. */
  at: z.string(),
  /** Why the last attempt came to nothing; null where it was delivered. */
  reason: z.string().nullable(),
});
export type ManifestNotice = z.infer<typeof ManifestNotice>;

/** Where it stands against the time by which it is to be ready. Times are ISO 8601. */
export const ManifestReadyBy = z.strictObject({
  at: z.string(),
  /** From then on its shots are urgent; null where nobody knows how long they take. */
  urgentFrom: z.string().nullable(),
  /** When the next shot takes the fallback; null where none does, or nobody knows. */
  lastMoment: z.string().nullable(),
  /** The shots that have taken the fallback. */
  fallback: z.array(z.strictObject({ shot: z.string(), at: z.string() })),
  /** Why it may not be ready in time. */
  warning: z.string().nullable(),
});
export type ManifestReadyBy = z.infer<typeof ManifestReadyBy>;

/** When a running production is expected to end by itself, by the usual times of its models. Times are ISO 8601. */
export const ManifestExpected = z.strictObject({
  /** As likely earlier as later. */
  at: z.string(),
  /** Four of five times it ends between these two. */
  earliest: z.string(),
  latest: z.string(),
  /** Whether shots wait for a person then, or do now: what starts on those is not counted. */
  waitsThen: z.boolean(),
});
export type ManifestExpected = z.infer<typeof ManifestExpected>;

export const Manifest = z.strictObject({
  production: z.string(),
  title: z.string(),
  state: ProductionState,
  /** Why it does not go on by itself, or ended as it did; null where there is nothing to say. */
  reason: z.string().nullable(),
  film: z
    .strictObject({ path: z.string(), sha256: Sha256, sizeBytes: z.int(), durationSeconds: z.number() })
    .nullable(),
  shots: z.array(ManifestShot),
  /** While a person has paused it: why, since when (ISO 8601), and what to type. */
  paused: z.strictObject({ reason: z.string(), since: z.string(), command: z.string() }).nullable(),
  credits: z.strictObject({ charged: z.number(), unclearSubmits: z.int() }),
  /** Null where it has none. */
  budget: ManifestBudget.nullable(),
  /** Null where it is ready when it is, and where only the store tells of a render that is under way. */
  readyBy: ManifestReadyBy.nullable(),
  /** As `status` tells it, as long as it is rendered; null where nobody knows how long a model takes. */
  expected: ManifestExpected.nullable(),
  /** In the order in which they happened; empty where nobody is told, or nothing was posted yet. */
  notices: z.array(ManifestNotice),
  /**
   * The folder that it was put out into last, with its film and its contact sheet, for which `path` above has the
   * store's own where this is told by `status`; null where it was not put out, or is there no more.
   */
  out: z
    .strictObject({
      folder: z.string(),
      /** Null where this very film is not there. */
      film: z.string().nullable(),
      sheet: z.string().nullable(),
    })
    .nullable(),
});
export type Manifest = z.infer<typeof Manifest>;
