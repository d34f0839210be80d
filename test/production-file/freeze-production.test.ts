import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf, type FileValuePolicy, formatIssues, loadProduction } from '../../client/production-file';
import { freezeProduction } from '../../client/freeze/freeze-production';
import { FrozenProduction } from '../../contracts/render/frozen';
import { hashFile, openStore, shotDigest } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';
import { policy } from './production-fixtures';

const media = join(__dirname, 'broken', 'files');

async function freeze(path: string, storeFolder: string, options: { id?: string; policy?: FileValuePolicy } = {}) {
  const result = await loadProduction(path, options.policy ?? policy);
  if (!result.ok) throw new Error(formatIssues(result.issues));
  const store = await openStore(storeFolder);
  return { store, ...(await freezeProduction(result.production, store, options)) };
}

const TEXT = `
title: Sea
maxInFlight: 2
shots:
  - { id: a, model: alpha-video, prompt: One, seed: 4, startFrame: dawn.png }
  - id: b
    model: beta-video
    prompt: Two
    startFrame: { lastFrameOf: a }
    endFrame: dawn.png
    imageUrls: [{ lastFrameOf: a }, { firstFrameOf: a }, 'https://pictures.example/c.png']
    caption: Hello
assembly: { music: song.mp3 }
`;

async function film(folder: string, text = TEXT): Promise<string> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(media, 'frame.png'), join(folder, 'dawn.png'));
  await copyFile(join(media, '31-seconds.mp3'), join(folder, 'song.mp3'));
  await writeFile(join(folder, 'film.yaml'), text);
  return join(folder, 'film.yaml');
}

describe('freezing a production', () => {
  it('keeps the expectation of a shot, or the default, without changing its request', async () => {
    const folder = await temporaryFolder();
    const shots = async (text: string): Promise<FrozenProduction['shots']> =>
      (await freeze(await film(join(folder, 'work'), text), join(folder, 'store'))).frozen.shots;
    const [plain] = await shots(TEXT);
    const [a, b] = await shots(TEXT.replace('seed: 4', 'seed: 4, drift: expected'));
    expect([a?.drift, b?.drift]).toEqual(['expected', undefined]);
    expect(shotDigest(a!)).toBe(shotDigest(plain!));
    const byDefault = await shots(TEXT.replace('shots:', 'defaults: { drift: expected }\nshots:'));
    expect(byDefault.map(({ drift }) => drift)).toEqual(['expected', 'expected']);
  });

  it('stores it and its files by hash, described by their content', async () => {
    const folder = await temporaryFolder();
    const path = await film(join(folder, 'work'));
    const { store, frozen, ref } = await freeze(path, join(folder, 'store'));

    const dawn = {
      kind: 'asset',
      name: 'dawn.png',
      asset: {
        sha256: await hashFile(join(folder, 'work', 'dawn.png')),
        mediaType: 'image/png',
        width: 32,
        height: 18,
      },
    };
    expect(frozen.shots[0]?.files).toMatchObject({ startFrame: dawn });
    expect(frozen.shots[1]?.files).toMatchObject({
      startFrame: { kind: 'link', shot: 'a', frame: 'last' },
      endFrame: dawn,
    });
    expect(frozen.assembly?.music).toMatchObject({ asset: { mediaType: 'audio/mpeg' } });
    const stored = await store.assets.open(ref).setEncoding('utf8').toArray();
    expect(FrozenProduction.parse(JSON.parse(stored.join('')))).toEqual(frozen);
    expect(await hashFile(store.assets.shownPath(ref))).toBe(ref.sha256);
  });

  it('plans links, bounds and outputs, and waits for a frame once', async () => {
    const folder = await temporaryFolder();
    const { plan } = await freeze(await film(folder), join(folder, 'store'));
    const rules = { onUnclear: 'park', retryFailed: 1, onFailure: 'park', takes: 1, review: null };
    const usual = { ...rules, directed: false, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string };
    expect(plan).toEqual({
      title: 'Sea',
      maxInFlight: 2,
      assemble: true,
      shots: [
        { id: 'a', model: 'alpha-3.0-video', output: 'video', links: [], deadlineSeconds: 900, ...usual },
        {
          id: 'b',
          model: 'beta-2.5',
          output: 'video',
          deadlineSeconds: 900,
          ...usual,
          links: [
            { kind: 'link', shot: 'a', frame: 'first' },
            { kind: 'link', shot: 'a', frame: 'last' },
          ].reverse(),
        },
      ],
    });
  });

  it('keeps the music of each cue as an asset, and names it among the files', async () => {
    const folder = await temporaryFolder();
    const cues = '[{ file: song.mp3, from: 1 }, { file: song.mp3, from: { startOf: b }, to: { endOf: b }, fadeIn: 2 }]';
    const { frozen } = await freeze(
      await film(join(folder, 'work'), TEXT.replace('music: song.mp3', `music: ${cues}`)),
      join(folder, 'store'),
    );
    const asset = expect.objectContaining({ mediaType: 'audio/mpeg' }) as unknown;
    expect(frozen.assembly?.music).toEqual([
      { asset, volumeDb: -12, from: 1 },
      { asset, volumeDb: -12, from: { startOf: 'b' }, to: { endOf: 'b' }, fadeInSeconds: 2 },
    ]);
    expect(filesOf(frozen).filter(({ name }) => name === 'music')).toHaveLength(2);
  });

  it('gives the same hash in another place, at another time and in another store', async () => {
    const folder = await temporaryFolder();
    const one = await freeze(await film(join(folder, 'one')), join(folder, 'store'));
    const two = await freeze(await film(join(folder, 'two')), join(folder, 'another-store'));
    expect(two.ref).toEqual(one.ref);
  });

  it('gives the same hash as earlier versions if the file uses nothing new', async () => {
    const { ref } = await freeze(join(__dirname, '../../productions/lighthouse.yaml'), await temporaryFolder());
    expect(ref.sha256).toBe('f94d09ba6fe8aebcb4ae599ec2f29dbb23b12af9535519c2778f951fc94eec23');
  });

  it('gives the same hash whatever the order of the keys and the spelling', async () => {
    const folder = await temporaryFolder();
    const text = TEXT.replace(
      'model: alpha-video, prompt: One, seed: 4',
      'seed: 4, prompt: One, model: alpha-3.0-video',
    );
    const one = await freeze(await film(join(folder, 'one')), join(folder, 'store'));
    const two = await freeze(await film(join(folder, 'two'), text), join(folder, 'store'));
    expect(two.ref).toEqual(one.ref);
  });

  it('keeps the asset of a file that was renamed, and only the name differs', async () => {
    const folder = await temporaryFolder();
    const path = await film(folder);
    const one = await freeze(path, join(folder, 'store'));
    await copyFile(join(folder, 'dawn.png'), join(folder, 'sunrise.png'));
    await writeFile(path, TEXT.replaceAll('dawn.png', 'sunrise.png'));
    const two = await freeze(path, join(folder, 'store'));

    expect(two.ref).not.toEqual(one.ref);
    expect(JSON.stringify(two.frozen).replaceAll('sunrise.png', 'dawn.png')).toBe(JSON.stringify(one.frozen));
  });

  it("follows directions until the file's entry for the shot changes", async () => {
    const folder = await temporaryFolder();
    const path = await film(folder);
    const { store, frozen } = await freeze(path, join(folder, 'store'));
    const [asWritten, other] = frozen.shots;
    const shot = { ...asWritten!, parameters: { ...asWritten!.parameters, prompt: 'Two' }, variant: 8 };
    await store.directing.direct('film', 'a', { of: shotDigest(asWritten!), shot });

    const refrozen = async (text: string): ReturnType<typeof freeze> => {
      await writeFile(path, text);
      return freeze(path, join(folder, 'store'));
    };
    const directed = await refrozen(TEXT.replace('prompt: One', 'prompt: One, caption: Late'));
    expect(directed.frozen.shots).toEqual([{ ...shot, caption: 'Late' }, other]);
    expect(directed.plan.shots.map((one) => one.directed)).toEqual([true, false]);
    expect(directed.plan.shots[0]?.digest).toBe(shotDigest(shot));
    // A file that has taken it over asks for the same take.
    expect(await refrozen(TEXT.replace('prompt: One', 'prompt: Two'))).toMatchObject({
      frozen: { shots: [shot, other] },
      lapsed: [],
    });
    const lapsed = await refrozen(TEXT.replace('prompt: One', 'prompt: Three'));
    expect(lapsed.frozen.shots[0]).toMatchObject({ parameters: { prompt: 'Three' } });
    expect(lapsed.frozen.shots[0]).not.toHaveProperty('variant');
    expect(lapsed.lapsed).toEqual(['a']);
  });

  it('has the same requests whatever the file says about takes, reviews and failures', async () => {
    const folder = await temporaryFolder();
    const path = await film(folder);
    const one = await freeze(path, join(folder, 'store'));
    await writeFile(path, TEXT.replace('prompt: One', 'prompt: One, takes: 3, review: true, onFailure: skip'));
    const two = await freeze(path, join(folder, 'store'));
    expect(two.ref).toEqual(one.ref);
    expect(two.plan.shots.map(({ digest }) => digest)).toEqual(one.plan.shots.map(({ digest }) => digest));
    expect(two.plan.shots[0]).toMatchObject({ takes: 3, onFailure: 'skip', review: { withinSeconds: null } });
  });

  it('uses another id if one is given, and refuses an invalid one', async () => {
    const folder = await temporaryFolder();
    const path = await film(folder);
    expect((await freeze(path, join(folder, 'store'), { id: 'second-cut' })).frozen.id).toBe('second-cut');
    await expect(freeze(path, join(folder, 'store'), { id: '../second' })).rejects.toThrow(RangeError);
  });
});
