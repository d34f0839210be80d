import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assemble, findFfmpeg, lastFrame, type FilmSpec, type MediaInfo } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { filmOf, frameColors, loudness, makeClip, pictureHashes, samples, tone } from './fixtures';

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await temporaryFolder();
});

async function make(spec: FilmSpec): Promise<{ readonly path: string; readonly info: MediaInfo }> {
  const path = join(await temporaryFolder(), 'film.mp4');
  return { path, info: await assemble(await findFfmpeg(), spec, path) };
}

const continuing = (spec: FilmSpec, ...indexes: readonly number[]): FilmSpec => ({
  ...spec,
  clips: spec.clips.map((clip, index) => ({ ...clip, continuesPrevious: indexes.includes(index) })),
});

describe('a clip that continues the one before', () => {
  it('is joined by a cut, even in a film with crossfades', async () => {
    const clips = await Promise.all(
      ['red', 'lime', 'blue'].map((picture) => makeClip(at(`mixed-${picture}.mp4`), { picture })),
    );
    const spec = filmOf(clips, { transition: { kind: 'crossfade', seconds: 0.25 } });
    const colors = await frameColors((await make(continuing(spec, 1))).path);
    expect(colors).toHaveLength(24 - 1 + 24 - 6 + 24);
    const isPure = (color: readonly number[]) => color.filter((channel) => channel > 20).length === 1;
    expect(colors.slice(0, 41).every(isPure)).toBe(true);
    expect(colors.slice(42, 47).some(isPure)).toBe(false);
    expect(colors.slice(47).every(isPure)).toBe(true);
  });
});

describe('a crossfade', () => {
  let clips: readonly string[];

  beforeAll(async () => {
    clips = await Promise.all([
      makeClip(at('fade-red.mp4'), { picture: 'red', frames: 48, soundSeconds: 2, sound: 'sine=f=300:r=48000' }),
      makeClip(at('fade-blue.mp4'), { picture: 'blue', frames: 48, soundSeconds: 2, sound: 'sine=f=700:r=48000' }),
    ]);
  });

  it('leads from one sound to the next', async () => {
    const spec = filmOf(clips, { transition: { kind: 'crossfade', seconds: 0.5 } });
    const sound = await samples((await make(spec)).path);
    expect(tone(sound, 700, 0.1, 1.4)).toBeLessThan(0.002);
    expect(tone(sound, 300, 1.65, 1.85)).toBeGreaterThan(0.04);
    expect(tone(sound, 700, 1.65, 1.85)).toBeGreaterThan(0.04);
    expect(tone(sound, 300, 2.1, 3.4)).toBeLessThan(0.002);
  });

  it('is overridden by the cut of a single joint, and the film is as long as planned', async () => {
    const last = await makeClip(at('fade-lime.mp4'), { picture: 'lime' });
    const spec = filmOf([...clips, last], { transition: { kind: 'crossfade', seconds: 0.5 } });
    const cut = spec.clips.map((clip, index) =>
      index === 1 ? { ...clip, transition: { kind: 'cut' } as const } : clip,
    );
    const { path, info } = await make({ ...spec, clips: cut });
    const colors = await frameColors(path);
    expect(colors).toHaveLength(48 + 48 - 12 + 24);
    expect(info.videoDurationSeconds).toBeCloseTo(108 / 24, 4);
    const isPure = (color: readonly number[]) => color.filter((channel) => channel > 20).length === 1;
    expect(colors.slice(0, 84).every(isPure)).toBe(true);
    expect(colors.slice(87, 93).some(isPure)).toBe(false);
  });

  it('takes no more than half of a short clip', async () => {
    const short = await makeClip(at('short.mp4'), { picture: 'lime', frames: 10 });
    const spec = filmOf([clips[0]!, short, clips[1]!], { transition: { kind: 'crossfade', seconds: 2 } });
    const { path, info } = await make(spec);
    expect(await pictureHashes(path)).toHaveLength(48 - 5 + 10 - 5 + 48);
    expect(info.videoDurationSeconds).toBeCloseTo(96 / 24, 4);
  });
});

describe('clips that differ', () => {
  it('are fitted with black bars and never distorted', async () => {
    const wide = await makeClip(at('wide.mp4'), { picture: 'red' });
    const tall = await makeClip(at('tall.mp4'), { width: 180, height: 320, picture: 'red' });
    const { path } = await make(filmOf([wide, tall]));
    const [left, middle] = [await frameColors(path, '100:180:0:0'), await frameColors(path, '80:180:120:0')];
    expect(left[12]![0]).toBeGreaterThan(240);
    expect(left[36]).toEqual([expect.closeTo(0, -1), expect.closeTo(0, -1), expect.closeTo(0, -1)]);
    expect(middle[36]![0]).toBeGreaterThan(240);
  });

  it('take the size and rate of the output settings', async () => {
    const clip = await makeClip(at('plain.mp4'), { frames: 48 });
    const { path, info } = await make(filmOf([clip, clip], { output: { height: 90, frameRate: 29.97 } }));
    expect(info).toMatchObject({ width: 160, height: 90 });
    expect(info.frameRate).toBeCloseTo(29.97, 3);
    expect(await pictureHashes(path)).toHaveLength(120);
  });

  it('are encoded to eight bits even if all have ten', async () => {
    const clip = await makeClip(at('ten.mp4'), { pixelFormat: 'yuv420p10le' });
    expect((await make(filmOf([clip, clip]))).info.colorDepth).toBe(8);
  });

  it('make a film with a silent track if none has sound', async () => {
    const clip = await makeClip(at('silent.mp4'));
    const { path, info } = await make(filmOf([clip, clip]));
    expect(info.audioCodec).toBe('aac');
    expect(loudness(await samples(path), 0, 2)).toBe(0);
  });
});

describe('music', () => {
  it('fills the whole film, however short it is, and fades out', async () => {
    const clip = await makeClip(at('mute.mp4'), { frames: 144 });
    const music = await makeClip(at('music.mp3'), { soundSeconds: 1, codec: [], extra: ['-vn'] });
    const { path, info } = await make(filmOf([clip], { music: { path: music, volumeDb: 0 } }));
    const sound = await samples(path);
    for (const second of [0.5, 1.5, 2.5, 3.5])
      expect(tone(sound, 440, second - 0.2, second + 0.2)).toBeGreaterThan(0.08);
    expect(loudness(sound, 5.9, 6)).toBeLessThan(loudness(sound, 3.4, 3.6) / 5);
    expect(info.durationSeconds).toBeCloseTo(6, 1);
  });

  it('is as loud as asked for', async () => {
    const clip = await makeClip(at('mute2.mp4'), { frames: 72 });
    const music = await makeClip(at('music.wav'), { soundSeconds: 9, codec: [], extra: ['-vn'] });
    const level = async (volumeDb: number) => {
      const { path } = await make(filmOf([clip], { music: { path: music, volumeDb } }));
      return tone(await samples(path), 440, 0.2, 0.8);
    };
    expect((await level(0)) / (await level(-6))).toBeCloseTo(2, 0);
    expect(await level(0)).toBeCloseTo(tone(await samples(music), 440, 0.2, 0.8), 2);
  });

  it('is lowered under the sound of a clip', async () => {
    const loud = await makeClip(at('loud.mp4'), {
      frames: 72,
      soundSeconds: 3,
      sound: 'aevalsrc=0.8*sin(2*PI*1000*t):s=48000',
    });
    const quiet = await makeClip(at('quiet.mp4'), { frames: 120 });
    const music = await makeClip(at('bed.wav'), { soundSeconds: 9, codec: [], extra: ['-vn'] });
    const sound = await samples((await make(filmOf([loud, quiet], { music: { path: music, volumeDb: 0 } }))).path);
    expect(tone(sound, 1000, 1, 2.5)).toBeGreaterThan(0.5);
    expect(tone(sound, 440, 1, 2.5)).toBeLessThan(tone(sound, 440, 4.5, 5.5) * 0.7);
  });

  it('never drives the mix over full scale', async () => {
    const full = 'aevalsrc=0.99*sin(2*PI*440*t):s=48000';
    const clip = await makeClip(at('full.mp4'), { frames: 72, soundSeconds: 3, sound: full });
    const music = await makeClip(at('full.wav'), { soundSeconds: 3, sound: full, codec: [], extra: ['-vn'] });
    const sound = await samples((await make(filmOf([clip], { music: { path: music, volumeDb: 0 } }))).path);
    expect(sound.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)).toBeLessThan(1);
  });
});

describe('the title', () => {
  /** The level that black may have after 4:2:0. */
  const DARK = 2;
  const AWKWARD = String.raw`100%: [it's] a, "b"; \n {x} – Élan`;

  it('appears over the beginning and goes again, whatever characters it has', async () => {
    const clips = await Promise.all(
      [1, 2, 3].map((number) => makeClip(at(`dark-${number}.mp4`), { picture: 'black', width: 640, height: 360 })),
    );
    const { path } = await make(filmOf(clips, { title: { text: AWKWARD, seconds: 1.5 } }));
    const light = (await frameColors(path, '640:120:0:120')).map((color) => color[0]!);
    expect(light[0]).toBeLessThanOrEqual(DARK);
    expect(light[12]).toBeGreaterThan(5);
    expect(light[26]).toBeGreaterThan(5);
    expect(light.slice(37).every((level) => level <= DARK)).toBe(true);
    expect((await frameColors(path, '640:100:0:0')).every((color) => color[0]! <= DARK)).toBe(true);
  });

  it('is drawn from a folder of any name, from clips of any name', async () => {
    const awkward = join(await temporaryFolder(), `it's [a]; 50%d, "b": c=1\\`);
    await mkdir(awkward);
    const clip = await makeClip(join(awkward, `clip's %d.mp4`), { picture: 'black', soundSeconds: 1 });
    const spec = filmOf([clip, clip], {
      title: { text: 'Lighthouse', seconds: 1 },
      music: { path: clip, volumeDb: 0 },
    });
    const film = join(awkward, 'film: 1.mp4');
    await assemble(await findFfmpeg(), spec, film);
    expect((await frameColors(film, '320:60:0:60'))[12]![0]).toBeGreaterThan(DARK + 2);
    await lastFrame(await findFfmpeg(), film, join(awkward, '%d.png'));
    expect((await readdir(awkward)).filter((name) => name.endsWith('.png'))).toEqual(['%d.png']);
  });

  it('is the same under crossfades', async () => {
    const clips = await Promise.all(
      [4, 5].map((number) => makeClip(at(`dark-${number}.mp4`), { picture: 'black', width: 640, height: 360 })),
    );
    const spec = filmOf(clips, {
      title: { text: 'Lighthouse', seconds: 1.8 },
      transition: { kind: 'crossfade', seconds: 0.5 },
    });
    const light = (await frameColors((await make(spec)).path, '640:120:0:120')).map((color) => color[0]!);
    const steady = light.slice(15, 28);
    expect(Math.min(...steady)).toBeGreaterThan(DARK + 2);
    expect(Math.max(...steady) - Math.min(...steady)).toBeLessThanOrEqual(1);
  });

  it('stays inside the frame when it is long', async () => {
    const clip = await makeClip(at('dark.mp4'), { picture: 'black', frames: 24 });
    const text = 'The Extraordinarily Long and Winding Tale of the Keeper Who Counted Every Single Wave Until Morning';
    const { path } = await make(filmOf([clip], { title: { text, seconds: 1 } }));
    expect((await frameColors(path))[12]![0]).toBeGreaterThan(DARK + 2);
    for (const edge of ['12:180:0:0', '12:180:308:0'])
      expect((await frameColors(path, edge))[12]![0]).toBeLessThanOrEqual(DARK);
  });

  it('may be blank', async () => {
    const clip = await makeClip(at('dark6.mp4'), { picture: 'black' });
    const { path } = await make(filmOf([clip], { title: { text: ' \n ', seconds: 1 } }));
    expect((await frameColors(path)).every((color) => color[0]! <= DARK)).toBe(true);
  });
});

describe('what a film carries besides picture and sound', () => {
  let film: string;

  beforeAll(async () => {
    const clips = await Promise.all([1, 2, 3].map((number) => makeClip(at(`plain-${number}.mp4`), { frames: 48 })));
    const spec = filmOf(clips, { metadataTitle: 'A = B; #1 \\ "Ünï"', subtitles: true });
    film = (
      await make({
        ...spec,
        clips: spec.clips.map((clip, index) => ({
          ...clip,
          chapter: `shot=${index}; #`,
          ...(index === 1 ? {} : { caption: `Caption ${index}: a < b, 50%\n\nsecond line` }),
        })),
      })
    ).path;
  });

  it('has its index before its data, so that it plays while it loads', async () => {
    const bytes = await readFile(film);
    const boxes: string[] = [];
    for (let place = 0; place < bytes.length; place += bytes.readUInt32BE(place)) {
      boxes.push(bytes.toString('latin1', place + 4, place + 8));
    }
    expect(boxes.indexOf('moov')).toBeGreaterThan(0);
    expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));
  });
});

describe('a film of many clips', () => {
  const CLIPS = 60;

  it.each([
    ['joined as they are', 'cut'],
    ['encoded anew', 'drop'],
  ])('keeps sound and picture together over 60 joins, %s', async (_how, join) => {
    // Each clip flashes and sounds in its second quarter.
    const clip = await makeClip(at(`flash-${join}.mp4`), {
      picture: 'black',
      width: 64,
      height: 64,
      frames: 13,
      soundSeconds: 13 / 24,
      sound: "aevalsrc='0.5*sin(2*PI*1000*t)*between(t,0.125,0.25)':s=48000",
      extra: ['-vf', "drawbox=color=white:t=fill:enable='between(n,3,5)'"],
    });
    const spec = filmOf(Array.from({ length: CLIPS }, () => clip));
    const everyOther = Array.from({ length: CLIPS }, (_, index) => index).filter((index) => index % 2 === 1);
    const progress: number[] = [];
    const path = join === 'cut' ? at('many-cut.mp4') : at('many-drop.mp4');
    const info = await assemble(await findFfmpeg(), join === 'cut' ? spec : continuing(spec, ...everyOther), path, {
      onProgress: (fraction) => progress.push(fraction),
    });

    const frames = CLIPS * 13 - (join === 'cut' ? 0 : CLIPS / 2);
    expect(info.durationSeconds).toBeCloseTo(frames / 24, 1);
    const flashes = onsets((await frameColors(path)).map((color) => color[0]! > 128)).map((frame) => frame / 24);
    const beeps = onsets([...windows(await samples(path), 48)].map((level) => level > 0.1)).map((ms) => ms / 1000);
    expect(flashes).toHaveLength(CLIPS);
    expect(beeps).toHaveLength(CLIPS);
    flashes.forEach((flash, index) => {
      expect(Math.abs(flash - beeps[index]!)).toBeLessThan(0.03);
    });
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });
});

/** Indexes at which a run of true begins; gaps of less than 20 do not end a run. */
function onsets(states: readonly boolean[]): readonly number[] {
  const places: number[] = [];
  let last = -Infinity;
  states.forEach((state, place) => {
    if (!state) return;
    if (place - last > (states.length > 2_000 ? 20 : 1)) places.push(place);
    last = place;
  });
  return places;
}

function* windows(sound: Float32Array, size: number): Generator<number> {
  for (let start = 0; start < sound.length; start += size) {
    yield sound.subarray(start, start + size).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  }
}
