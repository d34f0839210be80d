import { frameLinks } from '../contracts/file/frame-links';
import { type FrozenProduction, type FrozenShot } from '../contracts/render/frozen';
import { type OnUnclear } from '../contracts/render/decision';
import { type ProductionPlan } from '../contracts/render/plan';
import { shotDigest } from '../store';
import { type Random, seededRandom } from '../sandbox/random';

export interface DrillProduction {
  readonly frozen: FrozenProduction;
  readonly plan: ProductionPlan;
}

const CLIPS = 8;

/** Share of clips that start on the last frame of the previous clip. */
const LINKED_SHARE = 0.3;

/** Deadline of each shot. Only a task that never ends takes so long; its shot is then parked. */
const DEADLINE_SECONDS = 60;

/** The smallest clip that the model makes, so that rendering takes little of the machine's time. */
const CLIP = { duration: 4, resolution: '480p', colorDepth: '8bit', generateAudio: false };

const CLIP_MODEL = { id: 'beta-2.5', output: 'video' } as const;

/** Tasks of these models end at once, so they are executed: a single call returns the result. */
const STILL_MODEL = { id: 'pixel-image-1', output: 'image' } as const;
const TEXT_MODEL = { id: 'quill-text-1', output: 'text' } as const;

/** Makes the films of a drill. The same seed makes the same films. */
export function drillProductions(seed: number, count: number, onUnclear: OnUnclear): readonly DrillProduction[] {
  const random = seededRandom('productions', seed);
  return Array.from({ length: count }, (_, index) => {
    const id = `reel-${index + 1}`;
    const frozen: FrozenProduction = {
      version: 1,
      id,
      title: `Reel ${index + 1}`,
      shots: drillShots(id, random),
      assembly: { transition: { kind: 'cut' }, subtitles: false },
      output: { file: 'film.mp4' },
    };
    return { frozen, plan: planOf(frozen, onUnclear) };
  });
}

/**
 * A picture, a text and eight clips. The first clip starts on the picture, and the text is the prompt of another clip.
 */
function drillShots(production: string, random: Random): FrozenShot[] {
  const clips = Array.from({ length: CLIPS }, (_, index): FrozenShot => {
    const isLinked = index > 0 && random() < LINKED_SHARE;
    const start = isLinked
      ? ({ kind: 'link', shot: `shot-${index}`, frame: 'last' } as const)
      : ({ kind: 'link', shot: 'still', frame: 'whole' } as const);
    return {
      id: `shot-${index + 1}`,
      model: CLIP_MODEL,
      parameters: { ...CLIP, prompt: `${production}, the coast at hour ${index + 1}` },
      files: isLinked || index === 0 ? { startFrame: start } : {},
    };
  });
  const written = 1 + Math.floor(random() * (CLIPS - 1));
  return [
    quickShot('still', STILL_MODEL, `${production}, the coast`),
    quickShot('words', TEXT_MODEL, `${production}, a prompt for a clip of the coast`),
    ...clips.map((clip, index) =>
      index === written ? { ...clip, parameters: CLIP, texts: { prompt: { shot: 'words' } } } : clip,
    ),
  ];
}

function quickShot(id: string, model: FrozenShot['model'], prompt: string): FrozenShot {
  return { id, model, parameters: { prompt }, files: {} };
}

function planOf({ title, shots }: FrozenProduction, onUnclear: OnUnclear): ProductionPlan {
  return {
    title,
    maxInFlight: shots.length,
    assemble: true,
    shots: shots.map((shot) => ({
      id: shot.id,
      model: shot.model.id,
      output: shot.model.output,
      ...(shot.model.output === 'video' ? {} : { mode: 'execute' }),
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
