import { carriedFrame, wholeLink } from '../contracts/frame-links';
import { choiceWays, resolveWays, reviewInWords, reviewWays, takesToChoose, type Way } from '../contracts/commands';
import { type FileSource, type FrameLink, type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { type Manifest, type ManifestDrift, type ManifestShot } from '../contracts/manifest';
import { knownModel } from '../contracts/models';
import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../contracts/status';
import { chargeOf, leftBy, taskIdOf, type TakeHistory } from '../store';
import { leftInStore } from './left-in-store';
import { filmTakeOf } from './manifest';
import { filmName, frameName, takeName } from './out-names';

/** What the contact sheet shows. Names of files are relative to its folder. */
export interface Sheet {
  readonly title: string;
  readonly state: ProductionStatus['state'];
  readonly reason: string | null;
  readonly film: SheetFilm | null;
  readonly shots: readonly SheetShot[];
  readonly credits: Manifest['credits'];
  /** The shots that have taken their file's fallback, to be ready in time. */
  readonly byFallback: readonly string[];
}

export interface SheetFilm {
  readonly file: string;
  readonly sizeBytes: number;
  readonly durationSeconds: number;
  readonly width: number | null;
  readonly height: number | null;
}

export interface SheetShot {
  readonly id: string;
  readonly state: ShotStatus['state'];
  readonly reason: string | null;
  readonly model: string;
  readonly prompt: string | null;
  readonly caption: string | null;
  readonly links: readonly SheetLink[];
  /** Null where it goes on from no other shot. */
  readonly joint: SheetJoint | null;
  /** Where the shot begins in the film; null where it is not in it. */
  readonly startSeconds: number | null;
  /** While it waits for a person, or was left without a take: how it stands, and the ways to let it go on. */
  readonly waits: { readonly words: string; readonly ways: readonly Way[] } | null;
  /** The take that stands for the shot, approved or not. */
  readonly chosen: number | null;
  /** The one in the film first, where there is one; then the others, the newest first. */
  readonly takes: readonly SheetTake[];
}

/** What a shot uses of another one. */
export interface SheetLink {
  readonly frame: FrameLink['frame'];
  readonly shot: string;
  readonly parameter: string;
  /** A picture that is used as it is, of the take that stands; null where it is none. */
  readonly picture: string | null;
}

/** Where a shot goes on from the last frame of another. */
export interface SheetJoint {
  readonly from: string;
  /** The last frame of the one and the first of the next, of the takes that stand for them. */
  readonly frames: readonly [string | null, string | null];
  readonly drift: ManifestDrift | null;
}

export interface SheetTake {
  readonly take: number;
  /** What it was asked for, which need not be what the shot asks for now. */
  readonly model: string;
  readonly prompt: string | null;
  readonly taskId: string | null;
  readonly credits: number | null;
  /** Whether a person had freed what it left. */
  readonly pruned: boolean;
  /** Null where the take left nothing, or that is not in the store. */
  readonly output: {
    readonly file: string;
    readonly mediaType: string;
    readonly durationSeconds: number | null;
    readonly width: number | null;
    readonly height: number | null;
    readonly firstFrame: string | null;
    readonly lastFrame: { readonly file: string; readonly source: 'gateway' | 'clip' } | null;
    readonly warnings: readonly string[];
  } | null;
}

export interface SheetSources {
  readonly production: FrozenProduction;
  readonly status: ProductionStatus;
  readonly takes: ReadonlyMap<string, readonly TakeHistory[]>;
  /** Hashes of what they left that is in the store. */
  readonly there: ReadonlySet<string>;
  readonly manifest: Pick<Manifest, 'credits' | 'shots'>;
}

/** Gathers what the contact sheet shows. */
export function sheetOf({ production, status, takes, there, manifest }: SheetSources): Sheet {
  const { film } = status;
  const frozen = new Map(production.shots.map((shot) => [shot.id, shot]));
  const filmTakes = new Map(
    status.shots.map((shot) => [shot.id, takes.get(shot.id)?.find(({ take }) => take === filmTakeOf(shot))]),
  );
  const entries = new Map(manifest.shots.map((entry) => [entry.id, entry]));
  const starts = film === null ? new Map<string, number>() : shotStarts(production, status, film.durationSeconds ?? 0);
  return {
    title: status.title,
    state: status.state,
    reason: status.reason,
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
    shots: status.shots.map((known) => {
      const { id, state, reason, model } = known;
      const shot = frozen.get(id);
      const shown = filmTakeFirst(takes.get(id) ?? [], filmTakeOf(known));
      // What is said beside a take is what that take was asked for.
      const asked = shown[0]?.intent ?? shot;
      return {
        id,
        state,
        reason,
        model: titleOf(asked?.model.id ?? model),
        prompt: promptOf(asked),
        caption: shot?.caption ?? null,
        links: shot === undefined ? [] : linksOf(shot, filmTakes),
        joint: shot === undefined ? null : jointOf(shot, filmTakes, entries.get(id)?.drift ?? null),
        startSeconds: starts.get(id) ?? null,
        waits: waitsFor(status.production, known, entries.get(id)),
        chosen: known.filmTake,
        takes: shown.map((take) => sheetTake(id, take, there)),
      };
    }),
    credits: manifest.credits,
    byFallback: (status.readyBy?.fallback ?? []).map(({ shot }) => shot),
  };
}

function titleOf(model: string): string {
  return knownModel(model)?.title ?? model;
}

function promptOf(asked: { readonly parameters: Readonly<Record<string, unknown>> } | undefined): string | null {
  const prompt = asked?.parameters['prompt'];
  return typeof prompt === 'string' ? prompt : null;
}

function waitsFor(production: string, shot: ShotStatus, entry: ManifestShot | undefined): SheetShot['waits'] {
  const { id, parked } = shot;
  if (parked !== null) {
    return { words: `waits for a decision since ${parked.since}`, ways: resolveWays(production, id, parked.for) };
  }
  if (entry === undefined) return null;
  if (entry.review !== null) {
    return { words: `waits ${reviewInWords(entry.review)}`, ways: reviewWays(production, shot) };
  }
  const takes = takesToChoose(entry);
  return takes.length === 0 ? null : { words: 'has takes that are paid for', ways: choiceWays(production, id, takes) };
}

function filmTakeFirst(takes: readonly TakeHistory[], filmTake: number | null): readonly TakeHistory[] {
  const isInFilm = ({ take }: TakeHistory): boolean => take === filmTake;
  return [...takes.filter(isInFilm), ...takes.filter((take) => !isInFilm(take)).toReversed()];
}

function sheetTake(shotId: string, history: TakeHistory, there: ReadonlySet<string>): SheetTake {
  const { take, intent } = history;
  const { asset, firstFrame, lastFrame } = leftInStore(history, there);
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

type FilmTakes = ReadonlyMap<string, TakeHistory | undefined>;

function linksOf({ files, texts = {} }: FrozenShot, filmTakes: FilmTakes): SheetShot['links'] {
  const picture = ({ shot, frame }: FrameLink): string | null => {
    const history = frame === 'whole' ? filmTakes.get(shot) : undefined;
    const asset = history && leftBy(history)?.asset;
    const isPicture = asset?.mediaType.startsWith('image/') === true;
    return isPicture && history !== undefined ? takeName(shot, history.take, asset) : null;
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

function jointOf(shot: FrozenShot, filmTakes: FilmTakes, drift: ManifestDrift | null): SheetJoint | null {
  const from = carriedFrom(shot);
  if (from === undefined) return null;
  const frameOf = (id: string, frame: 'first' | 'last'): string | null => {
    const history = filmTakes.get(id);
    const output = history && leftBy(history);
    const asset = frame === 'first' ? output?.firstFrame : output?.lastFrame?.asset;
    return history === undefined || asset == null ? null : frameName(id, history.take, frame, asset);
  };
  return { from, frames: [frameOf(from, 'last'), frameOf(shot.id, 'first')], drift };
}

/**
 * Where each shot begins in the film, near enough to jump there: lengths less crossfades, spread over the film's true
 * length, which knows of dropped frames too.
 */
function shotStarts(
  { assembly, shots }: FrozenProduction,
  status: ProductionStatus,
  filmSeconds: number,
): ReadonlyMap<string, number> {
  const transition = assembly?.transition ?? { kind: 'cut' };
  const frozen = new Map(shots.map((shot) => [shot.id, shot]));
  const clips = status.shots.flatMap((shot) => {
    const asset = shot.state === 'completed' ? chosenTakeOf(shot)?.asset : undefined;
    const isClip = asset?.mediaType.startsWith('video/') === true;
    return isClip ? [{ id: shot.id, seconds: asset.durationSeconds ?? 0 }] : [];
  });
  const starts: number[] = [];
  let at = 0;
  for (const [index, { id, seconds }] of clips.entries()) {
    starts.push(at);
    const next = clips[index + 1];
    const isLinked = next !== undefined && carriedFrom(frozen.get(next.id)) === id;
    const isFaded = transition.kind === 'crossfade' && !isLinked;
    at += seconds - (isFaded ? Math.min(transition.seconds, seconds / 2, (next?.seconds ?? 0) / 2) : 0);
  }
  const stretch = at > 0 ? filmSeconds / at : 1;
  return new Map(clips.map(({ id }, index) => [id, (starts[index] ?? 0) * stretch]));
}

function carriedFrom(shot: FrozenShot | undefined): string | undefined {
  return shot === undefined ? undefined : carriedFrame(shot)?.shot;
}
