import { carriedFrame, wholeLink } from '../../contracts/file/frame-links';
import { choiceWays, resolveWays, reviewInWords, reviewWays, takesToChoose } from '../../contracts/commands';
import { type FileSource, type FrameLink, type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type Manifest, type ManifestDrift, type ManifestShot } from '../../contracts/manifest';
import { knownModel } from '../../contracts/gateway/models';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { chargeOf, taskIdOf, type TakeHistory } from '../../store';
import { type LeftInStore, leftInStore } from '../records/left-in-store';
import { filmTakeOf } from '../records/takes';
import { filmName, frameName, takeName } from '../records/out-names';
import { withLocalTimes } from '../wording/local-times';
import { type Sheet, type SheetJoint, type SheetShot, type SheetTake } from './contents';
import { shotStarts } from './shot-starts';

export interface SheetSources {
  readonly production: FrozenProduction;
  readonly status: ProductionStatus;
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** Hashes of the takes' outputs and frames that are in the store. */
  readonly storedHashes: ReadonlySet<string>;
  readonly manifest: Pick<Manifest, 'credits' | 'shots'>;
}

export function sheetOf({ production, status, takes, storedHashes, manifest }: SheetSources): Sheet {
  const { film } = status;
  const frozen = new Map(production.shots.map((shot) => [shot.id, shot]));
  const outputs = new Map(
    status.shots.flatMap((shot) => {
      const history = takes.get(shot.id)?.find(({ take }) => take === filmTakeOf(shot));
      if (history === undefined) return [];
      return [[shot.id, { take: history.take, ...leftInStore(history, storedHashes) }] as const];
    }),
  );
  const entries = new Map(manifest.shots.map((entry) => [entry.id, entry]));
  const starts = film === null ? new Map<string, number>() : shotStarts(production, status, film.durationSeconds ?? 0);
  return {
    title: status.title,
    state: status.state,
    reason: inLocalTime(status.reason),
    film:
      film === null
        ? null
        : {
            file: filmName(production.output?.file),
            sizeBytes: film.sizeBytes,
            durationSeconds: film.durationSeconds ?? 0,
            width: film.width,
            height: film.height,
          },
    shots: status.shots.map((shotStatus) => {
      const { id, state, reason, model } = shotStatus;
      const shot = frozen.get(id);
      // The page marks a take in review as chosen, so use `filmTake`: `filmTakeOf` leaves out such a take.
      const shown = chosenFirst(takes.get(id) ?? [], shotStatus.filmTake);
      // A take may have been requested with another model or prompt than the frozen shot has.
      const request = shown[0]?.intent ?? shot;
      return {
        id,
        state,
        reason: inLocalTime(reason),
        makes: shot?.model.output,
        model: titleOf(request?.model.id ?? model),
        prompt: promptOf(request),
        caption: captionOf(shot),
        links: shot === undefined ? [] : linksOf(shot, outputs),
        joint: shot === undefined ? null : jointOf(shot, outputs, entries.get(id)?.drift ?? null),
        startSeconds: starts.get(id) ?? null,
        waits: decisionOn(status.production, shotStatus, entries.get(id)),
        chosen: shotStatus.filmTake,
        takes: shown.map((take) => sheetTake(id, take, storedHashes)),
      };
    }),
    credits: manifest.credits,
    byFallback: (status.readyBy?.fallback ?? []).map(({ shot }) => shot),
  };
}

function inLocalTime(reason: string | null): string | null {
  return reason === null ? null : withLocalTimes(reason);
}

function captionOf(shot: FrozenShot | undefined): string | null {
  const caption = shot?.caption;
  return Array.isArray(caption) ? caption.map(({ text }) => text).join(' / ') : (caption ?? null);
}

function titleOf(model: string): string {
  return knownModel(model)?.title ?? model;
}

function promptOf(request: { readonly parameters: Readonly<Record<string, unknown>> } | undefined): string | null {
  const prompt = request?.parameters['prompt'];
  return typeof prompt === 'string' ? prompt : null;
}

function decisionOn(production: string, shot: ShotStatus, entry: ManifestShot | undefined): SheetShot['waits'] {
  const { id, parked } = shot;
  if (parked !== null) {
    const ways = resolveWays(production, id, parked.for, parked.takes);
    return { words: withLocalTimes(`waits for a decision since ${parked.since}`), ways };
  }
  if (entry === undefined) return null;
  if (entry.review !== null) {
    return { words: withLocalTimes(`waits ${reviewInWords(entry.review)}`), ways: reviewWays(production, shot) };
  }
  const takes = takesToChoose(entry);
  return takes.length === 0 ? null : { words: 'has takes that are paid for', ways: choiceWays(production, id, takes) };
}

function chosenFirst(takes: readonly TakeHistory[], chosen: number | null): readonly TakeHistory[] {
  const isChosen = ({ take }: TakeHistory): boolean => take === chosen;
  return [...takes.filter(isChosen), ...takes.filter((take) => !isChosen(take)).toReversed()];
}

function sheetTake(shotId: string, history: TakeHistory, storedHashes: ReadonlySet<string>): SheetTake {
  const { take, intent } = history;
  const { asset, firstFrame, lastFrame } = leftInStore(history, storedHashes);
  return {
    take,
    model: titleOf(intent.model.id),
    prompt: promptOf(intent),
    taskId: taskIdOf(history),
    credits: chargeOf(history),
    pruned: history.pruned !== undefined,
    output:
      asset === null
        ? null
        : {
            file: takeName(shotId, take, asset),
            mediaType: asset.mediaType,
            durationSeconds: asset.durationSeconds,
            width: asset.width,
            height: asset.height,
            firstFrame: firstFrame === null ? null : frameName(shotId, take, 'first', firstFrame),
            lastFrame:
              lastFrame === null
                ? null
                : { file: frameName(shotId, take, 'last', lastFrame.asset), source: lastFrame.source },
            warnings: history.output?.warnings ?? [],
          },
  };
}

/** By shot: what the store has of the take that the film uses. */
type FilmOutputs = ReadonlyMap<string, LeftInStore & { readonly take: number }>;

function linksOf({ files, texts = {} }: FrozenShot, outputs: FilmOutputs): SheetShot['links'] {
  const picture = ({ shot, frame }: FrameLink): string | null => {
    const { take, asset } = (frame === 'whole' ? outputs.get(shot) : undefined) ?? {};
    if (take === undefined || asset == null) return null;
    return asset.mediaType.startsWith('image/') ? takeName(shot, take, asset) : null;
  };
  const given = Object.entries(files).flatMap(([parameter, source]) =>
    [source]
      .flat()
      .flatMap((one: FileSource) => (one.kind === 'link' ? [{ ...one, parameter, picture: picture(one) }] : [])),
  );
  const written = Object.entries(texts).map(([parameter, { shot }]) => ({
    ...wholeLink(shot),
    parameter,
    picture: null,
  }));
  return [...given, ...written];
}

function jointOf(shot: FrozenShot, outputs: FilmOutputs, drift: ManifestDrift | null): SheetJoint | null {
  const from = carriedFrame(shot)?.shot;
  if (from === undefined) return null;
  const frameOf = (id: string, frame: 'first' | 'last'): string | null => {
    const output = outputs.get(id);
    const asset = frame === 'first' ? output?.firstFrame : output?.lastFrame?.asset;
    return output === undefined || asset == null ? null : frameName(id, output.take, frame, asset);
  };
  return { from, frames: [frameOf(from, 'last'), frameOf(shot.id, 'first')], drift };
}
