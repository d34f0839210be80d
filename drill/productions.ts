import { frameLinks } from '../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { type OnUnclear } from '../contracts/decision';
import { type ProductionPlan } from '../contracts/plan';
import { shotDigest } from '../store';
import { type Random, seededRandom } from '../sandbox/random';

export interface DrillProduction {
  readonly frozen: FrozenProduction;
  readonly plan: ProductionPlan;
}

const SHOTS = 8;

/** So many of the shots start on the last frame of the one before. */
const LINKED_SHARE = 0.3;

/** Long enough for any task of a drill; one that never ends is asked about after that. */
const DEADLINE_SECONDS = 60;

/** The smallest clip that the model makes, so that the machine's time goes into faults rather than pictures. */
const CLIP = { duration: 4, resolution: '480p', colorDepth: '8bit', generateAudio: false };

const MODEL = { id: 'beta-2.5', output: 'video' } as const;

/** Makes the films of a drill: the same seed makes the same ones. */
export function drillProductions(seed: number, count: number, onUnclear: OnUnclear): readonly DrillProduction[] {
  const random = seededRandom('productions', seed);
  return Array.from({ length: count }, (_, index) => {
    const shots = drillShots(`reel-${index + 1}`, random);
    const id = `reel-${index + 1}`;
    const frozen: FrozenProduction = {
      version: 1,
      id,
      title: `Reel ${index + 1}`,
      shots,
      assembly: { transition: { kind: 'cut' }, subtitles: false },
      output: { file: 'film.mp4' },
    };
    return { frozen, plan: planOf(frozen, onUnclear) };
  });
}

function drillShots(production: string, random: Random): FrozenShot[] {
  return Array.from({ length: SHOTS }, (_, index) => {
    const isLinked = index > 0 && random() < LINKED_SHARE;
    return {
      id: `shot-${index + 1}`,
      model: MODEL,
      parameters: { ...CLIP, prompt: `${production}, the coast at hour ${index + 1}` },
      files: isLinked ? { startFrame: { kind: 'link', shot: `shot-${index}`, frame: 'last' } } : {},
    };
  });
}

function planOf({ title, shots }: FrozenProduction, onUnclear: OnUnclear): ProductionPlan {
  return {
    title,
    maxInFlight: SHOTS,
    assemble: true,
    shots: shots.map((shot) => ({
      id: shot.id,
      model: shot.model.id,
      output: shot.model.output,
      deadlineSeconds: DEADLINE_SECONDS,
      links: frameLinks(shot),
      onUnclear,
      retryFailed: 1,
      onFailure: 'park',
      takes: 1,
      review: null,
      directed: false,
      digest: shotDigest(shot),
    })),
  };
}
