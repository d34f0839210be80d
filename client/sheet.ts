import { type FileSource, type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { type Manifest } from '../contracts/manifest';
import { knownModel } from '../contracts/models';
import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../contracts/status';
import { standing, type TakeHistory } from '../store';
import { filmName, frameName, takeName } from './out-names';
import { resolveCommand, reviewCommand } from './waiting';

/** What the contact sheet shows. Names of files are relative to its folder. */
export interface Sheet {
  readonly title: string;
  readonly state: ProductionStatus['state'];
  readonly reason: string | null;
  readonly film: SheetFilm | null;
  readonly shots: readonly SheetShot[];
  readonly credits: Manifest['credits'];
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
  readonly links: readonly { readonly frame: 'first' | 'last'; readonly shot: string; readonly parameter: string }[];
  /** Where the shot begins in the film; null where it is not in it. */
  readonly startSeconds: number | null;
  /** While it waits for a person: for what, since when (ISO 8601), and what to type. */
  readonly waits: { readonly for: string; readonly since: string; readonly command: string } | null;
  /** The take that stands for the shot, approved or not. */
  readonly chosen: number | null;
  /** The one in the film first, where there is one; then the others, the newest first. */
  readonly takes: readonly SheetTake[];
}

export interface SheetTake {
  readonly take: number;
  readonly taskId: string | null;
  readonly credits: number | null;
  /** Null where the take left nothing. */
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
  readonly credits: Manifest['credits'];
}

/** Gathers what the contact sheet shows. */
export function sheetOf({ production, status, takes, credits }: SheetSources): Sheet {
  const { film } = status;
  const frozen = new Map(production.shots.map((shot) => [shot.id, shot]));
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
      const prompt = shot?.parameters['prompt'];
      return {
        id,
        state,
        reason,
        model: knownModel(model)?.title ?? model,
        prompt: typeof prompt === 'string' ? prompt : null,
        caption: shot?.caption ?? null,
        links: shot === undefined ? [] : linksOf(shot),
        startSeconds: starts.get(id) ?? null,
        waits: waitsFor(status.production, known),
        chosen: known.filmTake,
        takes: filmTakeFirst(takes.get(id) ?? [], known.filmTake).map((take) => sheetTake(id, take)),
      };
    }),
    credits,
  };
}

function waitsFor(production: string, shot: ShotStatus): SheetShot['waits'] {
  const { id, parked, review } = shot;
  if (parked !== null) {
    return { for: 'a decision', since: parked.since, command: resolveCommand(production, id, parked.for) };
  }
  if (review === null) return null;
  return { for: 'your approval', since: review.since, command: reviewCommand(production, shot) };
}

function filmTakeFirst(takes: readonly TakeHistory[], filmTake: number | null): readonly TakeHistory[] {
  const isInFilm = ({ take }: TakeHistory): boolean => take === filmTake;
  return [...takes.filter(isInFilm), ...takes.filter((take) => !isInFilm(take)).toReversed()];
}

function sheetTake(shotId: string, history: TakeHistory): SheetTake {
  const { take, settled, output } = history;
  const now = standing(history);
  return {
    take,
    taskId: settled?.taskId ?? (now.is === 'accepted' ? now.taskId : null),
    credits: settled?.credits ?? null,
    output:
      output === undefined
        ? null
        : {
            file: takeName(shotId, take, output.asset),
            mediaType: output.asset.mediaType,
            durationSeconds: output.asset.durationSeconds,
            width: output.asset.width,
            height: output.asset.height,
            firstFrame: output.firstFrame === null ? null : frameName(shotId, take, 'first', output.firstFrame),
            lastFrame:
              output.lastFrame === null
                ? null
                : {
                    file: frameName(shotId, take, 'last', output.lastFrame.asset),
                    source: output.lastFrame.source,
                  },
            warnings: output.warnings,
          },
  };
}

function linksOf({ files }: FrozenShot): SheetShot['links'] {
  return Object.entries(files).flatMap(([parameter, source]) =>
    [source].flat().flatMap((one: FileSource) => (one.kind === 'link' ? [{ ...one, parameter }] : [])),
  );
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
  const lengths = status.shots.map((shot) => chosenTakeOf(shot)?.asset?.durationSeconds ?? 0);
  const starts: number[] = [];
  let at = 0;
  for (const [index, length] of lengths.entries()) {
    starts.push(at);
    const next = lengths[index + 1] ?? 0;
    const isFaded = transition.kind === 'crossfade' && !continues(shots[index + 1], shots[index]?.id);
    at += length - (isFaded ? Math.min(transition.seconds, length / 2, next / 2) : 0);
  }
  const stretch = at > 0 ? filmSeconds / at : 1;
  return new Map(status.shots.map(({ id }, index) => [id, (starts[index] ?? 0) * stretch]));
}

function continues(shot: FrozenShot | undefined, before: string | undefined): boolean {
  const start = shot?.files['startFrame'];
  return start !== undefined && !Array.isArray(start) && start.kind === 'link' && start.shot === before;
}
