import { readFileSync } from 'node:fs';
import { inStore, manifestOf, publish } from '../../client';
import { type ColorMeasures } from '../../contracts/render/color';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type ManifestDrift } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { findFfmpeg, measureColor } from '../../media';
import { dailies } from '../scripts/command';
import { PAINTED } from '../support/pictures';
import { betaShot, film, type Rig, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';

/** Factor by which the sandbox multiplies the contrast with every generation. */
const FACTOR = 1.06;
const SHOTS = 8;

const CLIP = {
  prompt: 'the lighthouse at noon',
  duration: 4,
  resolution: '480p',
  aspectRatio: '1:1',
  colorDepth: '8bit',
  generateAudio: false,
};

describe('a chain of eight whose contrast grows with every generation', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ contrastDrift: FACTOR, ...PAINTED });
  });
  afterAll(() => rig.close());

  it('drifts by more than 30% without an anchor, and the meter says so', async () => {
    const { status, measures, drifts } = await rendered(chain('loose', false));
    expect(measures[7]!.contrast / measures[0]!.contrast).toBeGreaterThan(1.3);
    expect(drifts[7]).toMatchObject({ first: 's1', warning: true });
    expect(drifts[7]!.contrastPercent).toBeGreaterThan(30);
    expect(drifts[0]).toBeNull();
    expect(drifts[1]).toMatchObject({ first: 's1', warning: false });

    const folder = await temporaryFolder();
    const env = { DAILIES_STORE: rig.store.folder };
    const { stdout, stderr } = await dailies(['status', 'loose'], { folder, env });
    expect(stdout).toMatch(/^ {2}s8 .*; off s1: brightness [-+]?\d+%, contrast \+[345]\d%, colour \d+ \(!\)$/m);
    expect(stdout).toMatch(/^ {2}s1 [^;]*$/m);
    expect(stderr).toMatch(/Drifted visibly .*s8\. With `anchor: true`/);
    const { sheetPath } = await publish({ store: rig.store, account: 'sandbox', status, folder });
    const page = readFileSync(sheetPath, 'utf8');
    expect(page.match(/class="drift/g)).toHaveLength(SHOTS - 1);
    expect(page).toMatch(/s7-take-1-last\.png[^]*s8-take-1-first\.png[^]*class="drift past"/);
  });

  it('stays within 10% of the first in mean and contrast with an anchor, and sends what it corrected', async () => {
    const { measures, drifts, frames } = await rendered(chain('anchored', true));
    for (const { brightness, contrast } of measures) {
      expect(Math.abs(brightness / measures[0]!.brightness - 1)).toBeLessThan(0.1);
      expect(Math.abs(contrast / measures[0]!.contrast - 1)).toBeLessThan(0.1);
    }
    expect(drifts.slice(1).map((drift) => drift?.warning)).toEqual(Array(7).fill(false));
    // The last frame of the chain's first clip is used unchanged; the others are corrected.
    const tasks = rig.sandbox.tasks().slice(-SHOTS);
    const sent = tasks.map(({ parameters }) => parameters['startFrame']);
    expect(sent[1]).toBe(frames[0]);
    for (const n of [2, 3, 4, 5, 6, 7]) expect(sent[n]).not.toBe(frames[n - 1]);
    const takes = await rig.store.ledger.takes('anchored', 's8');
    expect(takes[0]?.intent.parameters['startFrame']).toBe(sent[7]);
    expect(`sha256:${takes[0]?.intent.carried?.['startFrame']}`).toBe(frames[6]);
  });

  async function rendered(production: FrozenProduction): Promise<{
    readonly status: ProductionStatus;
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
    for (const { asset } of takes) measures.push(await measureColor(ffmpeg, rig.store.assets.shownPath(asset!)));
    return {
      status,
      measures,
      drifts: shots.map(({ drift }) => drift),
      frames: takes.map(({ lastFrame }) => `sha256:${lastFrame!.asset.sha256}`),
    };
  }
});

/** Each shot starts on the last frame of the previous one. The anchor is set as in a checked file. */
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
