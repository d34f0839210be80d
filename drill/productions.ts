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

/** Shots of a film that are clips. */
const CLIPS = 8;

/** So many of the clips start on the last frame of the one before. */
const LINKED_SHARE = 0.3;

/** Long enough for any task of a drill; one that never ends is asked about after that. */
const DEADLINE_SECONDS = 60;

/** The smallest clip that the model makes, so that the machine's time goes into faults rather than pictures. */
const CLIP = { duration: 4, resolution: '480p', colorDepth: '8bit', generateAudio: false };

const CLIP_MODEL = { id: 'beta-2.5', output: 'video' } as const;

/** Tasks of these end at once, so they are executed: one call that answers with the result. */
const STILL_MODEL = { id: 'pixel-image-1', output: 'image' } as const;
const TEXT_MODEL = { id: 'quill-text-1', output: 'text' } as const;

/** Makes the films of a drill: the same seed makes the same ones. */
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

/** Eight clips: the first starts on a picture that is made for it, another one's prompt is written by a text model. */
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
