import { type Sheet, type SheetShot } from '../../../client/contact-sheet';

export const OUTPUT = {
  file: 'takes/dawn-take-1.mp4',
  mediaType: 'video/mp4',
  durationSeconds: 4,
  width: 854,
  height: 480,
  firstFrame: 'frames/dawn-take-1-first.png',
  lastFrame: { file: 'frames/dawn-take-1-last.png', source: 'gateway' },
  warnings: [],
} as const;

export const FIRST_TAKE = {
  take: 1,
  model: 'beta-video',
  prompt: 'The sun comes up.',
  taskId: 'task-1',
  credits: 20,
  pruned: false,
  output: OUTPUT,
};

export const DAWN: SheetShot = {
  id: 'dawn',
  state: 'completed',
  reason: null,
  makes: 'video',
  model: 'beta-video',
  prompt: 'The sun comes up.',
  caption: 'It is early.',
  links: [],
  joint: null,
  startSeconds: 0,
  waits: null,
  chosen: 1,
  takes: [FIRST_TAKE],
};

export const SHEET: Sheet = {
  title: 'A film',
  state: 'completed',
  reason: null,
  film: { file: 'film.mp4', sizeBytes: 8_100_000, durationSeconds: 7.96, width: 854, height: 480 },
  shots: [
    DAWN,
    {
      ...DAWN,
      id: 'day',
      startSeconds: 3.98,
      links: [{ parameter: 'startFrame', frame: 'last', shot: 'dawn', picture: null }],
    },
  ],
  credits: { charged: 40, unclearSubmits: 0 },
  byFallback: [],
};
