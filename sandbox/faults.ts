import { RequestRefused } from './request-refused';
import { seededRandom, type Random } from './random';

/** Seconds that a throttled caller is told to wait; short, so that trying things out stays quick. */
const RETRY_AFTER_SECONDS = 1;

/** How the sandbox misbehaves. Shares go from 0 to 1; what is absent does not happen. */
export interface FaultOptions {
  /** Share of the accepted tasks that end FAILED. They are charged. */
  readonly failedShare?: number;
  /** Share of the gateway's requests answered 429 with Retry-After; none of them is accepted. */
  readonly throttledShare?: number;
  /** Share of the gateway's requests answered 500; none of them is accepted, which the caller cannot know. */
  readonly errorShare?: number;
  readonly slowAnswerMs?: number;
  /** Share of the gateway's answers that take `slowAnswerMs`; all of them where only the time is given. */
  readonly slowAnswerShare?: number;
  /** The same seed draws the same faults, for requests that come in the same order. Default 1. */
  readonly seed?: number;
}

/** What is to happen to one request before the gateway looks at it. */
export interface RequestFault {
  readonly delayMs: number;
  readonly refusal: RequestRefused | undefined;
}

/** What becomes of an accepted task, decided when it is accepted. */
export type Fate = 'completes' | 'fails';

export interface Faults {
  onRequest(): RequestFault;
  onAccept(): Fate;
}

/** Makes the sandbox's misbehaviour. Each kind draws from a generator of its own, so that one share does not move another. */
export function createFaults(options: FaultOptions = {}): Faults {
  const {
    failedShare = 0,
    throttledShare = 0,
    errorShare = 0,
    slowAnswerMs = 0,
    slowAnswerShare = 1,
    seed = 1,
  } = options;
  const failed = chance(failedShare, seededRandom('failed', seed));
  const throttled = chance(throttledShare, seededRandom('throttled', seed));
  const broken = chance(errorShare, seededRandom('error', seed));
  const slow = chance(slowAnswerShare, seededRandom('slow', seed));

  return {
    onRequest() {
      // Every kind is drawn for every request, so that each keeps its own sequence.
      const [isThrottled, isBroken, isSlow] = [throttled(), broken(), slow()];
      return {
        delayMs: isSlow ? slowAnswerMs : 0,
        refusal: isThrottled ? throttling() : isBroken ? internalError() : undefined,
      };
    },
    onAccept: () => (failed() ? 'fails' : 'completes'),
  };
}

function chance(share: number, random: Random): () => boolean {
  return () => random() < share;
}

function throttling(): RequestRefused {
  return new RequestRefused(429, 'throttled', `Too many requests; try again in ${RETRY_AFTER_SECONDS} s.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function internalError(): RequestRefused {
  return new RequestRefused(500, 'internal_error', 'Something went wrong inside the gateway.');
}
