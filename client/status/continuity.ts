import { type AssetRef } from '../../contracts/asset';
import { type ColorMeasures } from '../../contracts/render/color';
import { carriedFrame, chainFirsts } from '../../contracts/file/frame-links';
import { type FrameLink } from '../../contracts/render/frozen';
import { type ManifestDrift } from '../../contracts/manifest';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { readFrozen } from '../records/read-frozen';

/**
 * Drift above these limits gets a warning. Side by side, most people see a difference of 20 % in brightness or
 * contrast, or of 20 of 255 levels in tint.
 */
const MAX_PERCENT = 20;
const MAX_COLOR_DISTANCE = 20;

/** The drift of chained shots from the first shot of their chain, by shot. Unmeasured shots are left out. */
export async function driftsOf(
  store: Pick<Store, 'assets' | 'measures'>,
  status: ProductionStatus,
): Promise<ReadonlyMap<string, ManifestDrift>> {
  const drifts = new Map<string, ManifestDrift>();
  for (const { shot, first, clip, firstClip, anchorHelps, isExpected } of await chainedClips(store, status)) {
    const [from, to] = await Promise.all([store.measures.kept(firstClip), store.measures.kept(clip)]);
    if (from === undefined || to === undefined) continue;
    const drift = { first, ...driftBetween(from, to), anchorHelps };
    drifts.set(shot, isExpected ? { ...drift, warning: false, expected: true } : drift);
  }
  return drifts;
}

interface ChainedClip {
  readonly shot: string;
  readonly first: string;
  readonly clip: AssetRef;
  readonly firstClip: AssetRef;
  /**
   * True if `anchor: true` could reduce the drift: the shot starts on the last frame of a shot other than the chain's
   * first, and does not correct the frame's colors yet.
   */
  readonly anchorHelps: boolean;
  /** Whether the shot, or a shot that it continues from (except the chain's first), has `drift: expected`. */
  readonly isExpected: boolean;
}

/** The chosen clips of chained shots. Empty if the frozen production is lost. */
export async function chainedClips(
  { assets }: Pick<Store, 'assets'>,
  { frozen, shots }: ProductionStatus,
): Promise<readonly ChainedClip[]> {
  if (!(await assets.has(frozen))) return [];
  const clips = new Map(
    shots.flatMap((shot) => {
      const asset = shot.state === 'completed' ? chosenTakeOf(shot)?.asset : undefined;
      return asset?.mediaType.startsWith('video/') === true ? [[shot.id, asset] as const] : [];
    }),
  );
  const chained = (await readFrozen(assets, frozen)).shots;
  const links = new Map(chained.map((shot) => [shot.id, carriedFrame(shot)]));
  const driftExpected = new Set(chained.filter(({ drift }) => drift === 'expected').map(({ id }) => id));
  const isExpected = (id: string): boolean => chainTo(links, id).some((one) => driftExpected.has(one));
  return [...chainFirsts(chained)].flatMap(([shot, first]) => {
    const [clip, firstClip, link] = [clips.get(shot), clips.get(first), links.get(shot)];
    const anchorHelps = link?.anchor === undefined && link?.shot !== first;
    if (clip === undefined || firstClip === undefined) return [];
    return [{ shot, first, clip, firstClip, anchorHelps, isExpected: isExpected(shot) }];
  });
}

/** The shot and the shots that it continues from, without the first of the chain, which is the reference. */
function chainTo(links: ReadonlyMap<string, FrameLink | undefined>, id: string): readonly string[] {
  const chain: string[] = [];
  for (let at = id, from = links.get(at); from !== undefined && !chain.includes(at); from = links.get(at)) {
    chain.push(at);
    at = from.shot;
  }
  return chain;
}

function driftBetween(first: ColorMeasures, clip: ColorMeasures): Omit<ManifestDrift, 'first' | 'anchorHelps'> {
  const brightnessPercent = percentDifference(first.brightness, clip.brightness);
  const contrastPercent = percentDifference(first.contrast, clip.contrast);
  const colorDistance = Math.hypot(
    ...(['red', 'green', 'blue'] as const).map((channel) => tint(clip, channel) - tint(first, channel)),
  );
  const isAboveLimit = Math.max(Math.abs(brightnessPercent), Math.abs(contrastPercent)) > MAX_PERCENT;
  return {
    brightnessPercent,
    contrastPercent,
    colorDistance,
    warning: isAboveLimit || colorDistance > MAX_COLOR_DISTANCE,
  };
}

/** The difference in percent of the first value. To not divide by zero, the divisor is at least one level. */
function percentDifference(first: number, value: number): number {
  return (100 * (value - first)) / Math.max(1, first);
}

/** The difference between a channel and the brightness, in levels. */
function tint(measures: ColorMeasures, channel: 'red' | 'green' | 'blue'): number {
  return measures[channel] - measures.brightness;
}
