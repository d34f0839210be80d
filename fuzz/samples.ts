import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFfmpeg, runFfmpeg } from '../media';
import { openH264 } from '../sandbox/plain/h264';
import { writeMovie } from '../sandbox/plain/mp4';
import { writePng } from '../sandbox/plain/png';
import { KEY, type TargetName } from './targets';

/** A well-formed input for one fuzz target. The reader process gets the bytes in a file of this name. */
export interface Sample {
  readonly target: TargetName;
  readonly name: string;
  readonly bytes: Buffer;
}

const SIZE = { width: 64, height: 48 };
const FRAMES = 24;

/** Well-formed inputs for every target. `folder` is for files that ffmpeg makes. */
export async function goodSamples(root: string, folder: string): Promise<readonly Sample[]> {
  const of = (target: TargetName, name: string, bytes: Buffer | string): Sample => ({
    target,
    name,
    bytes: Buffer.from(bytes),
  });
  const productions = join(root, 'productions');
  const read = (...path: string[]): Promise<Buffer> => readFile(join(productions, ...path));
  return [
    of('media', 'plain.mp4', plainMovie()),
    of('media', 'coded.mp4', await codedMovie(join(folder, 'coded.mp4'))),
    of('media', 'plain.png', writePng(SIZE, [20, 90, 160], 'a picture')),
    of('media', 'dawn.jpg', await read('lighthouse', 'dawn.jpg')),
    of('media', 'music.m4a', await read('lighthouse', 'music.m4a')),
    of('production', 'lighthouse.yaml', await read('lighthouse.yaml')),
    of('production', 'storyboard.yaml', await read('storyboard.yaml')),
    of('production', 'poster.yaml', await read('poster.yaml')),
    of('production', 'whole.json', WHOLE_PRODUCTION),
    of('batch', 'films.yaml', await read('catalogue', 'films.yaml')),
    of('batch', 'catalogue.yaml', await read('catalogue', 'catalogue.yaml')),
    of('batch', 'rows.csv', CSV),
    of('batch', 'rows.jsonl', JSONL),
    ...ANSWERS.map((answer, index) => of('answer', `answer-${index + 1}.json`, JSON.stringify(answer))),
    ...ANSWERS.map((answer, index) => of('wire', `answer-${index + 1}.http`, asHttp(JSON.stringify(answer)))),
    of('download', 'clip.http', asHttp(plainMovie().toString('latin1'), 'video/mp4')),
    of(
      'download',
      'moved.http',
      'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/clip.mp4\r\ncontent-length: 0\r\n\r\n',
    ),
  ];
}

function plainMovie(): Buffer {
  const h264 = openH264({ ...SIZE, colorDepth: 8, frameRate: FRAMES });
  const samples = Array.from({ length: FRAMES }, (_, frame) =>
    frame % 12 === 0 ? h264.key([10, 40, 90]) : h264.repeat(frame % 12),
  );
  const { configuration } = h264;
  const video = { ...SIZE, timeScale: FRAMES, sampleDuration: 1, samples, configuration, keys: [0, 12] };
  return writeMovie({ container: 'mp4', video });
}

/** A movie with B-frames, sound, and all tables that an encoder writes. */
async function codedMovie(path: string): Promise<Buffer> {
  await runFfmpeg(await findFfmpeg(), [
    ...['-f', 'lavfi', '-i', `testsrc2=size=64x48:rate=24,trim=end_frame=${2 * FRAMES}`],
    ...['-f', 'lavfi', '-t', '2', '-i', 'sine=f=440:r=48000'],
    ...['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-bf', '3', '-c:a', 'aac', path],
  ]);
  return readFile(path);
}

const WHOLE_PRODUCTION = JSON.stringify({
  id: 'whole',
  title: 'All that a file may say',
  readyBy: '2030-01-01T08:00:00Z',
  fallback: { duration: 4 },
  budget: { credits: 500 },
  maxInFlight: 4,
  notify: { url: 'https://hooks.example/film' },
  models: { 'pixel-image-1': { output: 'image', schema: 'poster/pixel-image.schema.json' } },
  defaults: { model: 'beta-video', resolution: '480p', duration: 4 },
  shots: [
    { id: 'dawn', prompt: 'Dawn.', takes: 2, startFrame: 'lighthouse/dawn.jpg', caption: 'It is early.' },
    { id: 'day', prompt: 'Day.', startFrame: { lastFrameOf: 'dawn' }, review: true, anchor: true },
    { id: 'noon', prompt: 'Noon.', transition: { crossfade: 1 }, caption: [{ text: '{Noon}', from: 0.5, to: 2 }] },
    { id: 'night', prompt: 'Night.', startFrame: { still: { model: 'pixel-image-1', prompt: 'The moon.' } } },
    { id: 'end', prompt: 'The end.', startFrame: { stillOf: 'night' }, endFrame: 'https://assets.example/end.png' },
  ],
  assembly: {
    music: [{ file: 'lighthouse/music.m4a', from: { startOf: 'day' }, to: 9, volumeDb: -6, fadeIn: 1 }],
    subtitles: { language: 'pt-BR' },
    captions: 'burnt',
  },
  output: { file: 'whole.mp4' },
});

const CSV = `key,model,prompt,duration,resolution
pier,beta-video,"the pier, at dawn",4,480p
lamp,beta-video,"the ""old"" lamp",4,480p
boat,alpha-video,the boat,5,720p
`;

const JSONL = `{"key":"pier","model":"beta-video","prompt":"the pier","duration":4}
{"key":"lamp","model":"beta-video","prompt":"the lamp","startFrame":"lighthouse/dawn.jpg"}
{"key":"film","shots":[{"id":"a","model":"alpha-video","prompt":"A."},{"id":"b","model":"beta-video","prompt":"B.","startFrame":{"lastFrameOf":"a"}}]}
`;

const ADDRESS = `https://assets.example/clip.mp4?signature=${KEY}`;
const FRAME = `https://assets.example/last.png?signature=${KEY}`;

/** A gateway's answers to a submit, an execute and reads. */
const ANSWERS: readonly unknown[] = [
  { status: 'success', response: { id: 'task-1', status: 'ACCEPTED' } },
  { status: 'success', response: { id: 'task-1', status: 'IN_PROGRESS', progress: 0.4 } },
  {
    status: 'success',
    response: {
      id: 'task-1',
      status: 'COMPLETED',
      result: { url: ADDRESS, lastFrame: { url: FRAME }, model: 'beta-2.5', seed: 7 },
      usage: { credits: 20 },
    },
  },
  {
    status: 'success',
    response: {
      id: 'task-1',
      status: 'COMPLETED',
      result: {
        items: [
          { url: ADDRESS, type: 'video' },
          { url: FRAME, role: 'last_frame' },
        ],
      },
      usage: { credits: '20' },
    },
  },
  { status: 'success', response: { id: 'task-1', status: 'COMPLETED', result: { text: `A pier. ${KEY}` } } },
  { status: 'success', response: { id: 'task-1', status: 'FAILED', error: { code: 'moderation', message: KEY } } },
  { status: 'error', error: { code: 'bad_request', message: `no such model; key ${KEY}` } },
];

function asHttp(body: string, mediaType = 'application/json'): Buffer {
  const head = [
    'HTTP/1.1 200 OK',
    `content-type: ${mediaType}`,
    `content-length: ${body.length}`,
    'etag: "1"',
    'retry-after: 3',
  ].join('\r\n');
  return Buffer.from(`${head}\r\n\r\n${body}`, 'latin1');
}
