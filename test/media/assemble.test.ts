import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assemble, FfmpegMissingError, findFfmpeg, NotMediaError, type FilmSpec, type MediaInfo } from '../../media';
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
  it('loses only the duplicate frame', async () => {
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

  it('refuses a clip that is not media', async () => {
    const clip = await makeClip(at('good.mp4'));
    await expect(make(filmOf([clip, __filename]))).rejects.toThrow(NotMediaError);
  });

  it('names the shot whose clip is not a video', async () => {
    const sound = await makeClip(at('sound.m4a'), { soundSeconds: 1, codec: [], extra: ['-vn'] });
    await expect(make(filmOf([sound]))).rejects.toThrow(/"shot-1" is not a video, but audio\/mp4/);
  });
});

describe('the title', () => {
  it('needs an ffmpeg that can draw text, and says so', async () => {
    const ffmpeg = { ...(await findFfmpeg()), filters: new Set<string>() };
    const clip = await makeClip(at('dark7.mp4'));
    const spec = filmOf([clip], { title: { text: 'Lighthouse', seconds: 1 } });
    await expect(assemble(ffmpeg, spec, at('untitled.mp4'))).rejects.toThrow(FfmpegMissingError);
  });
});

describe('music in several places', () => {
  it('is heard only there, at the volume of each piece, in a film of the same length', async () => {
    const clips = await Promise.all([1, 2].map((number) => makeClip(at(`mute-${number}.mp4`), { frames: 48 })));
    const [low, high] = await Promise.all(
      [300, 700].map((hertz) =>
        makeClip(at(`${hertz}.wav`), { soundSeconds: 1, sound: `sine=f=${hertz}:r=48000`, codec: [], extra: ['-vn'] }),
      ),
    );
    const music = [
      { path: low!, volumeDb: 0, from: 0.5, to: 2.5, fadeOutSeconds: 0.1 },
      { path: high!, volumeDb: 0, from: { startOf: 'shot-2' } },
    ];
    const { path, info } = await make(filmOf(clips, { music }));
    expect(info.durationSeconds).toBeCloseTo(4, 1);
    const sound = await samples(path);
    const level = tone(await samples(low!), 300, 0.2, 0.8);
    for (const [from, to, lowLevel, highLevel] of [
      [0.05, 0.45, 0, 0],
      [0.6, 0.9, level, 0],
      [1.6, 1.9, level, 0],
      [2.1, 2.35, level, level],
      [2.6, 2.9, 0, level],
      [3.1, 3.9, 0, 0],
    ] as const) {
      expect(tone(sound, 300, from, to)).toBeCloseTo(lowLevel, 2);
      expect(tone(sound, 700, from, to)).toBeCloseTo(highLevel, 2);
    }
  });
});

describe('burnt captions', () => {
  it('are seen exactly in their frames, whatever characters they have, and in no track', async () => {
    const clips = await Promise.all([1, 2].map((number) => makeClip(at(`burnt-${number}.mp4`), { picture: 'black' })));
    const hostile = String.raw`100%: [it's] %{n} {\an8}, "b"; \N:c=1` + '\n$(x)';
    const film = filmOf(clips, { captions: 'burnt', transition: { kind: 'crossfade', seconds: 0.25 } });
    const captioned = film.clips.map((clip, index) => ({
      ...clip,
      // From frame 18 + 3, which is in the first piece, to frame 18 + 12, which is in the second.
      ...(index === 1 ? { caption: [{ text: hostile, from: 0.125, to: 0.5 }] } : {}),
    }));
    const { path, info } = await make({ ...film, clips: captioned });
    const seen = (await frameColors(path, '320:60:0:120')).map((color) => color[0]! > 3);
    expect(seen).toEqual(Array.from({ length: 42 }, (_, frame) => frame >= 21 && frame < 30));
    expect((await frameColors(path, '320:110:0:0')).every((color) => color[0]! <= 2)).toBe(true);
    expect(info.videoDurationSeconds).toBeCloseTo(42 / 24, 4);
  });

  it('need an ffmpeg that can draw text, and say so', async () => {
    const ffmpeg = { ...(await findFfmpeg()), filters: new Set<string>() };
    const film = filmOf([await makeClip(at('unburnt.mp4'))], { captions: 'burnt' });
    const captioned = { ...film, clips: film.clips.map((clip) => ({ ...clip, caption: 'Hello' })) };
    await expect(assemble(ffmpeg, captioned, at('unburnt-film.mp4'))).rejects.toThrow(FfmpegMissingError);
  });
});

describe('what a film carries besides picture and sound', () => {
  let film: string;

  beforeAll(async () => {
    const clips = await Promise.all([1, 2, 3].map((number) => makeClip(at(`plain-${number}.mp4`), { frames: 48 })));
    const spec = filmOf(clips, { metadataTitle: 'A = B; #1 \\ "Ünï"', subtitles: true, subtitlesLanguage: 'pt-BR' });
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

  it('names the language of its subtitles', async () => {
    expect(await metadataOf(film, 's:s:0')).toContain('language=por');
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
});

describe('an assembly that fails', () => {
  async function place() {
    const path = join(await temporaryFolder(), 'film.mp4');
    return { path, files: () => readdir(dirname(path)) };
  }

  it.each([
    ['while it renders clips', 0.01],
    ['while it joins them', 0.951],
  ])('leaves nothing when it is aborted %s', async (_when, fraction) => {
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
    await expect(assemble(ffmpeg, filmOf([clip]), path)).rejects.toThrow('was ended');
    expect(await files()).toEqual([]);
  });

  it('does not accept a film that is shorter than planned', async () => {
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
