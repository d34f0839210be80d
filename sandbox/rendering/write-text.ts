import { pick, seededRandom } from '../random';

const FRAMINGS = ['Wide shot', 'Medium shot', 'Close-up', 'Aerial shot', 'Low-angle shot'] as const;
const MOVES = ['slow push in', 'gentle pan to the right', 'locked off', 'drifting hand-held', 'rising crane'] as const;
const LIGHTS = [
  'low golden light, mist over the ground',
  'soft overcast light, muted colours',
  'moonlight with deep blue shadows',
  'hard noon light, clear air',
] as const;

/** Maximum number of words of the prompt that the description repeats. */
const MAX_WORDS = 30;

/** Describes a shot in one line. The same prompt always gives the same line. */
export function writeText(prompt: string): string {
  const random = seededRandom('text', prompt);
  const subject =
    prompt
      .trim()
      .split(/\s+/)
      .slice(0, MAX_WORDS)
      .join(' ')
      .replace(/[.!?]+$/, '') || 'an empty frame';
  return `${pick(random, ...FRAMINGS)}, ${pick(random, ...MOVES)}: ${subject}; ${pick(random, ...LIGHTS)}.`;
}
