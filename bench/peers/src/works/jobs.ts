import { type Job, type Shot } from '../work';

/** The gateway reports no last frame for this model, so every contender cuts the last frame from the clip. */
export const CHAIN_MODEL = 'alpha-3.0-video';
export const TEXT_MODEL = 'quill-text-1';
export const PICTURE_MODEL = 'pixel-image-1';
const OUTPUTS: Readonly<Record<string, Shot['output']>> = { [TEXT_MODEL]: 'text', [PICTURE_MODEL]: 'image' };

/** Jobs of one text task each. Each job of each round has its own prompt. */
export function texts(count: number, round: number): readonly Job[] {
  return singles(count, (index) => ({ model: TEXT_MODEL, prompt: `the sea, day ${round}, hour ${index}` }));
}

/** Jobs of one task each. */
export function singles(count: number, of: (index: number) => { model: string; prompt: string }): readonly Job[] {
  return Array.from({ length: count }, (_, index) => {
    const { model, prompt } = of(index);
    return {
      id: `job-${index}`,
      film: false,
      shots: [{ id: 'only', model, output: OUTPUTS[model] ?? 'video', parameters: { prompt }, startsOn: null }],
    };
  });
}
