import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type AssetRef } from '../../contracts/asset';
import { carriedFrame } from '../../contracts/file/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type Manifest, type ManifestShot } from '../../contracts/manifest';
import { knownModel } from '../../contracts/gateway/models';
import { type TakeState } from '../../contracts/states';
import { manifestInFull } from '../../client/plan/status-in-full';
import { hashesThere, leftInStore } from '../../client/records/left-in-store';
import { readFrozen } from '../../client/records/read-frozen';
import { readOnce } from '../../client/records/read-once';
import { shownTakes, stateOf, takesOf } from '../../client/records/takes';
import { storedStatus } from '../../client/status/stored-status';
import { unknownProduction } from '../../client/wording/refused';
import { chargeOf, isRecordId, type LedgerView, type Store, taskIdOf, type TakeHistory } from '../../store';
import { ifTemporalAnswers } from './if-temporal-answers';
import { recentVersion } from './recent-version';
import { type Studio } from '../server/studio';

/** A production, as its own page and the pages of its shots show it. */
export interface FilmView {
  readonly id: string;
  readonly status: ProductionStatus;
  readonly manifest: Manifest;
  /** The frozen document; undefined if the store has lost it. */
  readonly production: FrozenProduction | undefined;
  /** In the order of the production. A still or written text comes before the shot that it is for. */
  readonly shots: readonly ShotView[];
}

export interface ShotView {
  readonly id: string;
  /** Place in the production, from 1. */
  readonly number: number;
  readonly status: ShotStatus;
  readonly entry: ManifestShot;
  readonly frozen: FrozenShot | undefined;
  /** The model's title. */
  readonly model: string;
  readonly prompt: string | null;
  readonly caption: string | null;
  /** Length of the chosen take, or else the requested length; null if both are unknown. */
  readonly seconds: number | null;
  /** Id of the shot on whose last frame this shot starts; null if there is none. */
  readonly startsOn: string | null;
  /** Whether a person has paused the production. */
  readonly isPaused: boolean;
  /** Oldest first. */
  readonly takes: readonly TakeView[];
  /** The chosen take, or else the newest take whose output is in the store; undefined if there is none. */
  readonly shown: TakeView | undefined;
}

export interface TakeView {
  readonly take: number;
  readonly state: TakeState;
  readonly isChosen: boolean;
  /** When the take was requested, ISO 8601. */
  readonly at: string;
  readonly model: string;
  readonly prompt: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly taskId: string | null;
  readonly credits: number | null;
  readonly isPruned: boolean;
  readonly warnings: readonly string[];
  readonly asset: AssetRef | null;
  readonly firstFrame: AssetRef | null;
  readonly lastFrame: AssetRef | null;
  readonly history: TakeHistory;
}

/** The takes that each studio has read. The next page reads only takes that may have changed. */
const remembered = new WeakMap<Studio, LedgerView>();

/** The store for one page. Reads each take at most once, and only if the take may have changed since the last page. */
export function storeForPage(studio: Studio): Store {
  const { store } = studio.dailies;
  const takes = remembered.get(studio) ?? store.ledger.remembering();
  remembered.set(studio, takes);
  return readOnce(store, takes);
}

/** Reads the view of a production. @throws Refused if the production is unknown. */
export async function filmView(
  studio: Studio,
  productionId: string,
  store: Store = storeForPage(studio),
): Promise<FilmView> {
  const { account, quotes } = studio;
  // Read the status before the takes. The page has the version of this status, so a later change makes the browser
  // reload.
  const status = await statusOf(studio, productionId);
  const manifest = await manifestInFull({ store, account, quotes: quotes() }, status);
  const all = await takesOf(store, account, productionId);
  const takes = new Map([...all].map(([shot, own]) => [shot, shownTakes(status, own)]));
  const there = await hashesThere(store, [...takes.values()].flat());
  const production = (await store.assets.has(status.frozen))
    ? await readFrozen(store.assets, status.frozen)
    : undefined;
  const frozen = new Map(production?.shots.map((shot) => [shot.id, shot]));
  const entries = new Map(manifest.shots.map((entry) => [entry.id, entry]));
  const shots = status.shots.flatMap((shot, index): readonly ShotView[] => {
    const entry = entries.get(shot.id);
    if (entry === undefined) return [];
    const views = (takes.get(shot.id) ?? []).map((history) => takeView(history, shot, there));
    const isPaused = status.paused !== undefined;
    return [shotView({ status: shot, entry, frozen: frozen.get(shot.id), takes: views, number: index + 1, isPaused })];
  });
  return { id: productionId, status, manifest, production, shots };
}

/** Reads the status from Temporal, or else from the store. @throws Refused if the production is unknown. */
export async function statusOf(studio: Studio, productionId: string): Promise<ProductionStatus> {
  const { dailies, account, config } = studio;
  const { client, store } = dailies;
  if (!isRecordId(productionId)) throw unknownProduction(productionId, []);
  const status =
    (await ifTemporalAnswers(studio, () => client.status(productionId))) ??
    (await storedStatus(store, account, productionId, config.prices ?? {}));
  if (status === undefined) throw unknownProduction(productionId, await client.productions.ids());
  return status;
}

/** Less than `LOOK_EVERY_MS` in server/live.ts, so that a tab's next check gets a new version. */
const VERSION_MAX_AGE_MS = 400;

/** A version that changes with the production's status. Cheap to read while Temporal answers. */
export function filmVersion(studio: Studio, productionId: string): Promise<string> {
  const read = async (): Promise<string> => versionOf(await statusOf(studio, productionId));
  return recentVersion(studio, `/productions/${productionId}`, read, VERSION_MAX_AGE_MS);
}

/** The version of a page that was made with this status. */
export function versionOf(status: ProductionStatus): string {
  return JSON.stringify(status);
}

function shotView(known: Pick<ShotView, 'status' | 'entry' | 'frozen' | 'takes' | 'number' | 'isPaused'>): ShotView {
  const { status, frozen, takes } = known;
  const { caption, parameters } = frozen ?? {};
  return {
    ...known,
    id: status.id,
    model: titleOf(status.model),
    prompt: textOf(parameters?.['prompt']),
    caption: typeof caption === 'object' ? caption.map(({ text }) => text).join(' / ') : (caption ?? null),
    seconds: secondsOf(chosenTakeOf(status)?.asset?.durationSeconds ?? parameters?.['duration']),
    startsOn: frozen === undefined ? null : (carriedFrame(frozen)?.shot ?? null),
    shown: takes.find(({ isChosen }) => isChosen) ?? takes.findLast(({ asset }) => asset !== null),
  };
}

function takeView(history: TakeHistory, { filmTake }: ShotStatus, there: ReadonlySet<string>): TakeView {
  const { take, intent, output, pruned } = history;
  const { asset, firstFrame, lastFrame } = leftInStore(history, there);
  return {
    take,
    state: stateOf(history),
    isChosen: take === filmTake,
    at: intent.at,
    model: titleOf(intent.model.id),
    prompt: textOf(intent.parameters['prompt']),
    parameters: intent.parameters,
    taskId: taskIdOf(history),
    credits: chargeOf(history),
    isPruned: pruned !== undefined,
    warnings: output?.warnings ?? [],
    asset,
    firstFrame,
    lastFrame: lastFrame?.asset ?? null,
    history,
  };
}

function titleOf(model: string): string {
  return knownModel(model)?.title ?? model;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function secondsOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}
