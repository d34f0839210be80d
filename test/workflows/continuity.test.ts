import { inStore, manifestOf } from '../../client';
import { type ColorMeasures } from '../../contracts/color';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { type ManifestDrift } from '../../contracts/manifest';
import { findFfmpeg, measureColor } from '../../media';
import { betaShot, film, type Rig, startRig } from '../support/rig';

/** What the sandbox multiplies contrast by with every generation. */
const FACTOR = 1.06;
const SHOTS = 8;

const CLIP = {
  prompt: 'the lighthouse at noon',
  duration: 4,
  resolution: '480p',
  colorDepth: '8bit',
  generateAudio: false,
};

describe('a chain of eight whose contrast grows with every generation', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ contrastDrift: FACTOR });
  });
  afterAll(() => rig.close());

  it('drifts by more than 30% without an anchor, and the meter says so', async () => {
    const { measures, drifts } = await rendered(chain('loose', false));
    expect(measures[7]!.contrast / measures[0]!.contrast).toBeGreaterThan(1.3);
    expect(drifts[7]).toMatchObject({ first: 's1', warning: true });
    expect(drifts[7]!.contrastPercent).toBeGreaterThan(30);
    expect(drifts[0]).toBeNull();
    expect(drifts[1]).toMatchObject({ first: 's1', warning: false });
  }, 300_000);

  it('stays within 10% of the first in mean and contrast with an anchor, and sends what it corrected', async () => {
    const { measures, drifts, frames } = await rendered(chain('anchored', true));
    for (const { brightness, contrast } of measures) {
      expect(Math.abs(brightness / measures[0]!.brightness - 1)).toBeLessThan(0.1);
      expect(Math.abs(contrast / measures[0]!.contrast - 1)).toBeLessThan(0.1);
    }
    expect(drifts.slice(1).map((drift) => drift?.warning)).toEqual(Array(7).fill(false));
    // The frame that came out of the chain's first clip is carried on as it is; the others are corrected.
    const tasks = rig.sandbox.tasks().slice(-SHOTS);
    const sent = tasks.map(({ parameters }) => parameters['startFrame']);
    expect(sent[1]).toBe(frames[0]);
    for (const n of [2, 3, 4, 5, 6, 7]) expect(sent[n]).not.toBe(frames[n - 1]);
    const takes = await rig.store.ledger.takes('anchored', 's8');
    expect(takes[0]?.intent.parameters['startFrame']).toBe(sent[7]);
    expect(`sha256:${takes[0]?.intent.carried?.['startFrame']}`).toBe(frames[6]);
  }, 300_000);

  async function rendered(production: FrozenProduction): Promise<{
    readonly measures: readonly ColorMeasures[];
    readonly drifts: readonly (ManifestDrift | null)[];
    /** Each shot's last frame, as the ledger would name it. */
    readonly frames: readonly string[];
  }> {
    const status = await rig.render(production, { assemble: false });
    expect(status.state).toBe('completed');
    const { shots } = await manifestOf(rig.store, 'sandbox', status, inStore(rig.store));
    const takes = status.shots.map((shot) => shot.takes.at(-1)!);
    const ffmpeg = await findFfmpeg();
    const measures = [];
    for (const { asset } of takes) measures.push(await measureColor(ffmpeg, rig.store.assets.localPath(asset!)));
    console.error(JSON.stringify(measures), JSON.stringify(shots.map(({ drift }) => drift)));
    return {
      measures,
      drifts: shots.map(({ drift }) => drift),
      frames: takes.map(({ lastFrame }) => `sha256:${lastFrame!.asset.sha256}`),
    };
  }
});

/** Each shot goes on from the one before it; the anchor is where a checked file would have it. */
function chain(id: string, anchored: boolean): FrozenProduction {
  return film(
    id,
    Array.from({ length: SHOTS }, (_, index): FrozenShot => {
      const name = `s${index + 1}`;
      if (index === 0) return betaShot(name, { parameters: CLIP });
      const anchor = anchored && index > 1 ? { anchor: 's1' } : {};
      const startFrame = { kind: 'link', shot: `s${index}`, frame: 'last', ...anchor } as const;
      return betaShot(name, { parameters: CLIP, files: { startFrame } });
    }),
  );
}
