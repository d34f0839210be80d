import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAnchorFrames, type AnchorFrames } from '../../../activities/request/anchor-frames';
import { failure } from '../../../activities/fail';
import { type LinkedFrame } from '../../../contracts/activities';
import { type AssetRef } from '../../../contracts/asset';
import { type ColorMeasures } from '../../../contracts/render/color';
import { findFfmpeg, lastFrame, measureColor, probe } from '../../../media';
import { makeClip } from '../../media/fixtures';
import { type ActivityBench, startBench } from '../../support/activity-bench';
import { intent } from '../../support/ledger-fixtures';
import { betaShot, film, linkedShot } from '../../support/rig';
import { acceptAll, json, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';
import { temporaryFolder } from '../../support/temporary-folder';

/** The third shot continues from the second, whose clip is darker, flatter and redder than the chain's first. */
const startFrame = { kind: 'link', shot: 'b', frame: 'last', anchor: 'a' } as const;
const THIRD = betaShot('c', { files: { startFrame } });
const DRIFT = "lutrgb=r='val*0.7+30':g='val*0.7':b='val*0.7'";

describe('an anchored frame', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let links: LinkedFrame[];
  let first: ColorMeasures;
  const signal = new AbortController().signal;
  const anchored = (frames: AnchorFrames) => frames({ ...bench.input, shotId: 'c', links }, THIRD, signal);
  const withFfmpeg = (): AnchorFrames => createAnchorFrames(bench.store, findFfmpeg);
  const withoutFfmpeg = (): AnchorFrames =>
    createAnchorFrames(bench.store, () => Promise.reject(failure('FfmpegMissing', 'there is none')));
  const pathOf = (asset: AssetRef): string => bench.store.assets.shownPath(asset);

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', film('film', [betaShot('a'), linkedShot('b', 'a'), THIRD]));
    const folder = await temporaryFolder();
    links = [
      await rendered('b', '2', await makeClip(join(folder, 'b.mp4'), { extra: ['-vf', DRIFT] })),
      await rendered('a', '1', await makeClip(join(folder, 'a.mp4'))),
    ];
    first = await measureColor(await findFfmpeg(), join(folder, 'a.mp4'));
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  /** A shot whose take is in the ledger, with its clip and last frame. */
  async function rendered(shot: string, digit: string, clipPath: string): Promise<LinkedFrame> {
    const { assets, ledger } = bench.store;
    const describe = async (path: string) => {
      const { mediaType, durationSeconds, width, height } = await probe(path);
      return { mediaType, durationSeconds, width, height };
    };
    const clip = await assets.putFile(clipPath, describe);
    const cut = async (png: string) => lastFrame(await findFfmpeg(), clipPath, png);
    const asset = await assets.create('frame', cut, describe);
    const take = { productionId: 'film', shotId: shot, take: 1 };
    const takeKey = digit.repeat(64);
    await ledger.intend(take, intent({ takeKey, account: 'account' }));
    const output = { asset: clip, firstFrame: null, lastFrame: { asset, source: 'clip' as const }, warnings: [] };
    await ledger.noteOutput(take, null, output);
    return { shot, frame: 'last', takeKey, asset };
  }

  it("has the light, contrast and colour of the chain's first clip", async () => {
    const [{ corrected } = links[0]!, anchor] = await anchored(withFfmpeg());
    const measures = await measureColor(await findFfmpeg(), pathOf(corrected!));
    const before = await measureColor(await findFfmpeg(), pathOf(links[0]!.asset));
    expect(before.contrast / first.contrast).toBeLessThan(0.8);
    for (const [measure, value] of Object.entries(measures)) {
      expect(Math.abs(value / first[measure as keyof ColorMeasures] - 1)).toBeLessThan(0.1);
    }
    expect(anchor?.corrected).toBeUndefined();
  });

  it('has the same bytes when requested again, without ffmpeg, and is made again if they are lost', async () => {
    const [made] = await anchored(withFfmpeg());
    expect((await anchored(withoutFfmpeg()))[0]).toEqual(made);
    await rm(pathOf(made!.corrected!));
    await expect(anchored(withoutFfmpeg())).rejects.toMatchObject({ type: 'FfmpegMissing' });
    expect((await anchored(withFfmpeg()))[0]).toEqual(made);
  });

  it('is sent, and recorded in the ledger with its source frame', async () => {
    gateway.answer = (_request, response) => json(response, 429, {});
    const { submitTask } = bench.activities().submits;
    const input = { ...bench.input, shotId: 'c', links };
    await expect(bench.run(submitTask, input)).rejects.toMatchObject({ type: 'GatewayThrottled' });
    gateway.answer = acceptAll();
    expect(await bench.run(submitTask, input)).toMatchObject({ state: 'accepted' });

    const [{ corrected } = links[0]!] = await anchored(withoutFfmpeg());
    const [refused, accepted] = gateway.posts().map(({ body }) => body);
    expect(accepted).toBe(refused);
    expect(accepted).toContain((await readFile(pathOf(corrected!))).toString('base64'));
    const [take] = await bench.store.ledger.takes('film', 'c');
    expect(take?.intent.parameters['startFrame']).toBe(`sha256:${corrected!.sha256}`);
    expect(take?.intent.carried).toEqual({ startFrame: links[0]!.asset.sha256 });
  });

  it('is not made for a take that has been sent', async () => {
    const { submitTask } = bench.activities().submits;
    const input = { ...bench.input, shotId: 'c', links };
    const accepted = await bench.run(submitTask, input);
    for (const kept of ['anchored', 'measures']) await rm(join(bench.store.folder, kept), { recursive: true });
    for (const { asset } of links) await rm(pathOf(asset));
    expect(await bench.run(submitTask, input)).toEqual(accepted);
    expect(gateway.posts()).toHaveLength(1);
  });

  it('is refused without a clip to compare with, and nothing is sent', async () => {
    const [take] = await bench.store.ledger.takes('film', 'a');
    await rm(pathOf(take!.output!.asset));
    const submitting = bench.run(bench.activities().submits.submitTask, { ...bench.input, shotId: 'c', links });
    await expect(submitting).rejects.toMatchObject({ type: 'AssetMissing' });
    expect(gateway.posts()).toHaveLength(0);
    expect(await bench.store.ledger.takes('film', 'c')).toHaveLength(0);
  });
});
