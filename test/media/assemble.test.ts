import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  assemble,
  FfmpegMissingError,
  findFfmpeg,
  lastFrame,
  NotMediaError,
  type FilmSpec,
  type MediaInfo,
} from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import {
  filmOf,
  frameColors,
  loudness,
  makeClip,
  metadataOf,
  pictureHashes,
  picturePackets,
  samples,
  scriptedFfmpeg,
  subtitlesOf,
  tone,
} from './fixtures';

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

describe('clips that are alike, joined by cuts', () => {
  let clips: readonly string[];

  beforeAll(async () => {
    clips = await Promise.all(
      ['sine=f=300:r=48000', 'sine=f=500:r=48000', 'sine=f=700:r=48000'].map((sound, index) =>
        makeClip(at(`alike-${index}.mp4`), {
          frames: 48,
          soundSeconds: 2,
          sound,
          extra: ['-vf', `hue=h=${index * 90}`],
        }),
      ),
    );
  });

  it('keeps every byte of their pictures', async () => {
    const { path, info } = await make(filmOf(clips));
    const packets = await Promise.all(clips.map(picturePackets));
    expect((await picturePackets(path)).equals(Buffer.concat(packets))).toBe(true);
    const hashes = await Promise.all(clips.map(pictureHashes));
    expect(await pictureHashes(path)).toEqual(hashes.flat());
    expect(info).toMatchObject({ mediaType: 'video/mp4', videoCodec: 'avc', audioCodec: 'aac', frameRate: 24 });
    expect(info.durationSeconds).toBeCloseTo(6, 1);
  });

  it('keeps every byte of their pictures under music and subtitles', async () => {
    const spec = filmOf(clips, { music: { path: clips[0]!, volumeDb: -6 }, subtitles: true });
    const { path } = await make({ ...spec, clips: spec.clips.map((clip) => ({ ...clip, caption: 'Hello' })) });
    const packets = await Promise.all(clips.map(picturePackets));
    expect((await picturePackets(path)).equals(Buffer.concat(packets))).toBe(true);
  });

  it('gives each its own sound at its own time', async () => {
    const sound = await samples((await make(filmOf(clips))).path);
    for (const [index, hertz] of [300, 500, 700].entries()) {
      const own = tone(sound, hertz, index * 2 + 0.1, index * 2 + 1.9);
      const before = index > 0 ? tone(sound, hertz, index * 2 - 1.9, index * 2 - 0.1) : 0;
      expect(own).toBeGreaterThan(0.05);
      expect(before).toBeLessThan(own / 50);
    }
  });
});

describe('a clip that continues the one before', () => {
  it('loses no frame but the doubled one', async () => {
    const clips = await Promise.all(
      ['red', 'blue'].map((picture) => makeClip(at(`${picture}.mp4`), { picture, soundSeconds: 1 })),
    );
    const { path, info } = await make(continuing(filmOf(clips), 1));
    const colors = await frameColors(path);
    expect(colors).toHaveLength(47);
    expect(colors.filter(([red = 0]) => red > 128)).toHaveLength(23);
    expect(info.durationSeconds).toBeCloseTo(47 / 24, 1);
    expect(info.videoDurationSeconds).toBeCloseTo(47 / 24, 4);
  });

  it('is joined by a cut, also in a film with crossfades', async () => {
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

  it('leads from one picture to the next, evenly', async () => {
    const spec = filmOf(clips, { transition: { kind: 'crossfade', seconds: 0.5 } });
    const { path, info } = await make(spec);
    const colors = await frameColors(path);
    expect(colors).toHaveLength(48 + 48 - 12);
    expect(info.durationSeconds).toBeCloseTo(3.5, 1);
    const red = colors.map((color) => color[0]!);
    const blue = colors.map((color) => color[2]!);
    expect(red[35]).toBeGreaterThan(240);
    expect(blue[35]).toBeLessThan(15);
    expect(red[42]).toBeGreaterThan(90);
    expect(blue[42]).toBeGreaterThan(90);
    expect(red[48]).toBeLessThan(15);
    expect(blue[48]).toBeGreaterThan(240);
    for (let frame = 37; frame < 48; frame += 1) expect(red[frame]!).toBeLessThan(red[frame - 1]! + 2);
  });

  it('leads from one sound to the next', async () => {
    const spec = filmOf(clips, { transition: { kind: 'crossfade', seconds: 0.5 } });
    const sound = await samples((await make(spec)).path);
    expect(tone(sound, 700, 0.1, 1.4)).toBeLessThan(0.002);
    expect(tone(sound, 300, 1.65, 1.85)).toBeGreaterThan(0.04);
    expect(tone(sound, 700, 1.65, 1.85)).toBeGreaterThan(0.04);
    expect(tone(sound, 300, 2.1, 3.4)).toBeLessThan(0.002);
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
  it('become one film in the format of the first', async () => {
    const clips = await Promise.all([
      makeClip(at('first.mp4'), { frames: 48, soundSeconds: 2 }),
      makeClip(at('deep.mov'), { width: 640, height: 360, frameRate: '30', frames: 60, pixelFormat: 'yuv420p10le' }),
      makeClip(at('other.webm'), {
        frameRate: '25',
        frames: 50,
        codec: ['-c:v', 'libvpx', '-deadline', 'realtime'],
        soundSeconds: 2,
        extra: ['-c:a', 'libopus'],
      }),
      makeClip(at('odd.mp4'), { frameRate: '30000/1001', frames: 60, soundSeconds: 3.5, extra: ['-ar', '44100'] }),
      makeClip(at('mono.mp4'), { frames: 48, soundSeconds: 0.5, extra: ['-ac', '1', '-ar', '22050'] }),
    ]);
    const { path, info } = await make(filmOf(clips));
    expect(info).toMatchObject({ width: 320, height: 180, frameRate: 24, videoCodec: 'avc', colorDepth: 8 });
    expect(await pictureHashes(path)).toHaveLength(240);
    expect(info.durationSeconds).toBeCloseTo(10, 1);
    const sound = await samples(path);
    expect(sound.length / 48_000).toBeCloseTo(10, 1);
    const heard = [1, 3, 5, 7, 8.25, 9.5].map((second) => loudness(sound, second - 0.2, second + 0.2) > 0.01);
    expect(heard).toEqual([true, false, true, true, true, false]);
  });

  it('are fitted with black bars and never distorted', async () => {
    const wide = await makeClip(at('wide.mp4'), { picture: 'red' });
    const tall = await makeClip(at('tall.mp4'), { width: 180, height: 320, picture: 'red' });
    const { path } = await make(filmOf([wide, tall]));
    const [left, middle] = [await frameColors(path, '100:180:0:0'), await frameColors(path, '80:180:120:0')];
    expect(left[12]![0]).toBeGreaterThan(240);
    expect(left[36]).toEqual([expect.closeTo(0, -1), expect.closeTo(0, -1), expect.closeTo(0, -1)]);
    expect(middle[36]![0]).toBeGreaterThan(240);
  });

  it('take the size and rate that the output asks for', async () => {
    const clip = await makeClip(at('plain.mp4'), { frames: 48 });
    const { path, info } = await make(filmOf([clip, clip], { output: { height: 90, frameRate: 29.97 } }));
    expect(info).toMatchObject({ width: 160, height: 90 });
    expect(info.frameRate).toBeCloseTo(29.97, 3);
    expect(await pictureHashes(path)).toHaveLength(120);
  });

  it('are encoded to eight bits even where all have ten', async () => {
    const clip = await makeClip(at('ten.mp4'), { pixelFormat: 'yuv420p10le' });
    expect((await make(filmOf([clip, clip]))).info.colorDepth).toBe(8);
  });

  it('make a film with a silent track where none has sound', async () => {
    const clip = await makeClip(at('silent.mp4'));
    const { path, info } = await make(filmOf([clip, clip]));
    expect(info.audioCodec).toBe('aac');
    expect(loudness(await samples(path), 0, 2)).toBe(0);
  });

  it('refuses a clip that is no media', async () => {
    const clip = await makeClip(at('good.mp4'));
    await expect(make(filmOf([clip, __filename]))).rejects.toThrow(NotMediaError);
  });

  it('names the shot whose clip is no video', async () => {
    const sound = await makeClip(at('sound.m4a'), { soundSeconds: 1, codec: [], extra: ['-vn'] });
    await expect(make(filmOf([sound]))).rejects.toThrow(/"shot-1" is no video but audio\/mp4/);
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

  it('steps back under the sound of a clip', async () => {
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
  /** What black may come to on its way through 4:2:0. */
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

  it('needs an ffmpeg that can draw text, and says so', async () => {
    const ffmpeg = { ...(await findFfmpeg()), filters: new Set<string>() };
    const clip = await makeClip(at('dark7.mp4'));
    const spec = filmOf([clip], { title: { text: 'Lighthouse', seconds: 1 } });
    await expect(assemble(ffmpeg, spec, at('untitled.mp4'))).rejects.toThrow(FfmpegMissingError);
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

  it('has its captions as a subtitle track, timed to their shots', async () => {
    const text = await subtitlesOf(film);
    expect(text).toMatch(/00:00:00,000 --> 00:00:02,000\s+Caption 0: a < b, 50%\nsecond line/);
    expect(text).toMatch(/00:00:04,000 --> 00:00:06,000\s+Caption 2/);
    expect(text).not.toContain('Caption 1');
  });

  it('has a chapter for each shot, and its title', async () => {
    const metadata = await metadataOf(film);
    expect(metadata).toContain('title=A \\= B\\; \\#1 \\\\ "Ünï"');
    const chapters = [...metadata.matchAll(/TIMEBASE=1\/(\d+)\nSTART=(\d+)\nEND=(\d+)\ntitle=(.*)/g)].map((match) =>
      match.slice(1),
    );
    expect(
      chapters.map(([base, start, end, title]) => [Number(start) / Number(base), Number(end) / Number(base), title]),
    ).toEqual([
      [0, 2, 'shot\\=0\\; \\#'],
      [2, 4, 'shot\\=1\\; \\#'],
      [4, 6, 'shot\\=2\\; \\#'],
    ]);
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

describe('an assembly that does not end well', () => {
  async function place() {
    const path = join(await temporaryFolder(), 'film.mp4');
    return { path, files: () => readdir(dirname(path)) };
  }

  it.each([
    ['while it renders clips', 0.01],
    ['while it joins them', 0.951],
  ])('leaves nothing when it is called off %s', async (_when, fraction) => {
    const { path, files } = await place();
    const clip = await makeClip(at('long.mp4'), { width: 640, height: 360, frames: 240, soundSeconds: 10 });
    const abort = new AbortController();
    const running = assemble(await findFfmpeg(), continuing(filmOf([clip, clip, clip]), 1, 2), path, {
      signal: abort.signal,
      onProgress: (done) => {
        if (done >= fraction) abort.abort(new Error('called off'));
      },
    });
    await expect(running).rejects.toThrow('called off');
    expect(await files()).toEqual([]);
  });

  it('leaves nothing when ffmpeg is killed, though what it wrote would play', async () => {
    const { path, files } = await place();
    const ffmpeg = await scriptedFfmpeg(folder, '"$REAL" "$@"\ncase "$*" in *faststart*) kill -9 $$ ;; esac');
    const clip = await makeClip(at('killed.mp4'));
    await expect(assemble(ffmpeg, filmOf([clip]), path)).rejects.toThrow('ffmpeg was ended');
    expect(await files()).toEqual([]);
  });

  it('does not take a film for good that is shorter than planned', async () => {
    const { path, files } = await place();
    const ffmpeg = await scriptedFfmpeg(
      folder,
      `"$REAL" "$@" || exit 1
      case "$*" in *faststart*) ;; *) exit 0 ;; esac
      for film; do :; done
      "$REAL" -v error -i "$film" -t 1 -c copy -f mp4 "$film.short" && mv "$film.short" "$film"`,
    );
    const clip = await makeClip(at('two-seconds.mp4'), { frames: 48 });
    await expect(assemble(ffmpeg, filmOf([clip, clip]), path)).rejects.toThrow(/should be video of 4.00 s/);
    expect(await files()).toEqual([]);
  });

  it('keeps a film that was there before', async () => {
    const { path, files } = await place();
    await makeClip(path);
    const before = await readFile(path);
    const ffmpeg = await scriptedFfmpeg(folder, 'exit 1');
    await expect(assemble(ffmpeg, filmOf([path]), path)).rejects.toThrow('exited with 1');
    expect(await files()).toEqual(['film.mp4']);
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it('refuses a film of no clips', async () => {
    await expect(make(filmOf([]))).rejects.toThrow('at least one clip');
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

/** Places where a run of true begins; gaps of under 20 places do not end one. */
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
