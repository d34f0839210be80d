import { type AssetRef } from '../../contracts/asset';
import { type ColorMeasures } from '../../contracts/color';
import { carriedFrame, chainFirsts } from '../../contracts/frame-links';
import { type FrameLink } from '../../contracts/frozen';
import { type ManifestDrift } from '../../contracts/manifest';
import { chosenTakeOf, type ProductionStatus } from '../../contracts/status';
import { keptMeasures, type Store } from '../../store';
import { readFrozen } from '../records/read-frozen';

/**
 * Limits of the drift along a chain before a warning. Side by side, most people see a fifth more light or contrast, or
 * a tint of this many levels of 255.
 */
const MOST_PERCENT = 20;
const MOST_COLOR_DISTANCE = 20;

/** How far each shot of a chain differs from the chain's first, by shot. Shots without measures are left out. */
export async function driftsOf(
  store: Pick<Store, 'assets' | 'records'>,
  status: ProductionStatus,
): Promise<ReadonlyMap<string, ManifestDrift>> {
  const drifts = new Map<string, ManifestDrift>();
  for (const { shot, first, clip, firstClip, anchorHelps, isExpected } of await chainedClips(store, status)) {
    const [from, to] = await Promise.all([keptMeasures(store, firstClip), keptMeasures(store, clip)]);
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
  readonly anchorHelps: boolean;
  /** Whether the shot, or one that it continues from, has `drift: expected`. */
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
  const meant = new Set(chained.filter(({ drift }) => drift === 'expected').map(({ id }) => id));
  const isMeant = (id: string): boolean => chainTo(links, id).some((one) => meant.has(one));
  return [...chainFirsts(chained)].flatMap(([shot, first]) => {
    const [clip, firstClip, link] = [clips.get(shot), clips.get(first), links.get(shot)];
    const anchorHelps = link?.anchor === undefined && link?.shot !== first;
    if (clip === undefined || firstClip === undefined) return [];
    return [{ shot, first, clip, firstClip, anchorHelps, isExpected: isMeant(shot) }];
  });
}

/** The shot and those that it continues from, without the chain's first, which is the reference. */
function chainTo(links: ReadonlyMap<string, FrameLink | undefined>, id: string): readonly string[] {
  const chain: string[] = [];
  for (let at = id, from = links.get(at); from !== undefined && !chain.includes(at); from = links.get(at)) {
    chain.push(at);
    at = from.shot;
  }
  return chain;
}

function driftBetween(first: ColorMeasures, clip: ColorMeasures): Omit<ManifestDrift, 'first' | 'anchorHelps'> {
  const brightnessPercent = percentOff(first.brightness, clip.brightness);
  const contrastPercent = percentOff(first.contrast, clip.contrast);
  const colorDistance = Math.hypot(
    ...(['red', 'green', 'blue'] as const).map((channel) => tint(clip, channel) - tint(first, channel)),
  );
  const isPast = Math.max(Math.abs(brightnessPercent), Math.abs(contrastPercent)) > MOST_PERCENT;
  return { brightnessPercent, contrastPercent, colorDistance, warning: isPast || colorDistance > MOST_COLOR_DISTANCE };
}

/** Values below one level count as one, so that a black first clip does not cause huge percentages. */
function percentOff(first: number, value: number): number {
  return (100 * (value - first)) / Math.max(1, first);
}

/** A channel's share of the colour, independent of the brightness. */
function tint(measures: ColorMeasures, channel: 'red' | 'green' | 'blue'): number {
  return measures[channel] - measures.brightness;
}
