import { type Client } from '@temporalio/client';
import { type AssetRef } from '../../contracts/asset';
import { FrozenProduction, musicAssets } from '../../contracts/render/frozen';
import { readJson, type Store } from '../../store';
import { againCommand } from '../status/again-command';
import { assetsOfTake, checkAssets, checkParts, type ExpectedAsset } from './check-assets';
import { checkGateway, type ReadTask } from './check-gateway';
import { checkHistories } from './check-histories';
import { checkLedger } from './check-ledger';
import { type Difference } from './difference';
import { gapOf } from './ledger-books';
import { readHistories } from './read-histories';
import { type BookedTake, bookedTakes, bookedTakesOfAll } from '../records/booked-takes';
import { endedRender } from '../records/unclear-command';

export interface AuditRequest {
  readonly store: Store;
  readonly account: string;
  readonly production: string;
  /** Absent if Temporal is not running. Then only archived histories are read. */
  readonly temporal?: Client;
  /** Absent if the gateway cannot be asked. */
  readonly readTask?: ReadTask;
}

export interface Audit {
  readonly production: string;
  readonly clean: boolean;
  readonly differences: readonly Difference[];
  readonly checked: {
    readonly takes: number;
    readonly assets: number;
    readonly sizeBytes: number;
    readonly histories: number;
    readonly archivedHistories: number;
    readonly gatewayTasks: number;
  };
  readonly notChecked: readonly string[];
}

const WHOLE_PRODUCTION = { shot: null, take: null };

/**
 * Compares ledger, store, histories and, if `readTask` is given, the gateway.
 *
 * Works on running and ended productions. It only reads: it repairs nothing and spends nothing.
 *
 * @returns undefined if the store does not know the production.
 */
export async function audit(request: AuditRequest): Promise<Audit | undefined> {
  const { store, account, production, temporal, readTask } = request;
  const booked = await bookedTakes(store, production);
  const { productions } = store;
  const [source, begun, archived] = await Promise.all([
    productions.source(production),
    productions.begun(production),
    productions.archived(production),
  ]);
  const isKnown = source !== undefined || begun !== undefined || booked.takes.length + booked.broken.length > 0;
  if (!isKnown) return undefined;

  const isOwn = ({ history }: BookedTake): boolean => history.intent.account === account;
  const takes = booked.takes.filter(isOwn);
  const takesOfOthers = new Set(
    booked.takes.filter((take) => !isOwn(take)).map(({ shot, history }) => takeNameOf(shot, history.take)),
  );
  const elsewhere = (await takesElsewhere(store, production)).filter(isOwn);
  const render = await againCommand(store, { what: 'production', id: production });
  const histories = await readHistories(store, production, temporal);
  const isUnderWay = histories.isRunning ?? (begun !== undefined && begun.renderId !== archived?.renderId);
  const frozen = [...new Map([begun?.production, archived?.frozen].map((ref) => [ref?.sha256, ref])).values()];
  const expected = [
    ...takes.flatMap((take) => assetsOfTake(take, render)),
    ...expectedAsset('film', archived?.film, render),
    ...frozen.flatMap((ref) => expectedAsset('frozen production', ref, render)),
    ...(await givenFiles(store, begun?.production ?? archived?.frozen, render)),
    ...(await store.histories.list(production)).flatMap(({ workflowId, asset }) =>
      expectedAsset(`archived history of ${workflowId}`, asset, null),
    ),
  ];
  const ended =
    begun === undefined || isUnderWay
      ? undefined
      : await endedRender(store, account, { frozen: begun.production }, render);
  const gateway = readTask === undefined ? undefined : await checkGateway(takes, readTask);
  const situation = {
    production,
    hasGap: (await gapOf(store)) !== null,
    isComplete: histories.isRunning !== undefined,
    runningShots: histories.runningShots,
  };
  const differences = [
    ...checkLedger(
      { takes, broken: booked.broken },
      {
        ...{ isUnderWay, render, elsewhere },
        ended,
        paid: histories.facts.flatMap(({ paid }) => paid ?? []),
        tasksWithOutput: new Set(
          histories.facts.filter(({ output }) => output !== undefined).map(({ taskId }) => taskId),
        ),
      },
    ),
    ...checkHistories(
      takes,
      histories.facts.filter(({ shot, take }) => !takesOfOthers.has(takeNameOf(shot, take))),
      situation,
    ),
    ...(await checkAssets(store, expected)),
    ...(isUnderWay ? [] : await checkParts(store, takes)),
    ...(gateway?.differences ?? []),
  ];
  const assets = new Map(expected.map(({ asset }) => [asset.sha256, asset.sizeBytes]));
  return {
    production,
    clean: differences.length === 0,
    differences,
    checked: {
      takes: takes.length,
      assets: assets.size,
      sizeBytes: [...assets.values()].reduce((sum, size) => sum + size, 0),
      histories: histories.archived + histories.atTemporal,
      archivedHistories: histories.archived,
      gatewayTasks: (gateway?.asked ?? 0) - (gateway?.unanswered ?? 0),
    },
    notChecked: [
      ...(temporal === undefined ? ['Temporal is not running: only archived histories were read'] : []),
      ...(gateway === undefined ? ['the gateway was not asked'] : []),
      ...(gateway !== undefined && gateway.unanswered > 0
        ? [`the gateway gave no answer for ${gateway.unanswered} of ${gateway.asked} tasks`]
        : []),
      ...(booked.takes.length > takes.length
        ? [`takes of other accounts (DAILIES_GATEWAY_ACCOUNT): ${booked.takes.length - takes.length}`]
        : []),
    ],
  };
}

function takeNameOf(shot: string, take: number): string {
  return `${shot}/${take}`;
}

async function takesElsewhere(store: Store, production: string): Promise<readonly BookedTake[]> {
  const others = (await store.ledger.productions()).filter((id) => id !== production).toSorted();
  return (await bookedTakesOfAll(store, others)).takes;
}

function expectedAsset(
  name: string,
  asset: AssetRef | null | undefined,
  restoreCommand: string | null,
): readonly ExpectedAsset[] {
  return asset == null ? [] : [{ place: WHOLE_PRODUCTION, name, asset, restoreCommand }];
}

/**
 * The person's own files in the last frozen production. None if the frozen production is missing, damaged or
 * unreadable, which the audit reports separately.
 */
async function givenFiles(
  { assets }: Store,
  frozen: AssetRef | undefined,
  render: string,
): Promise<readonly ExpectedAsset[]> {
  if (frozen === undefined) return [];
  const read = await readJson(assets, frozen).catch(() => undefined);
  const production = FrozenProduction.safeParse(read).data;
  const files = (production?.shots ?? []).flatMap((shot) =>
    Object.entries(shot.files).flatMap(([parameter, sources]) =>
      [sources].flat().flatMap((source) => {
        if (source.kind !== 'asset') return [];
        const name = `${parameter} of ${shot.id} (${source.name})`;
        return expectedAsset(name, source.asset, render);
      }),
    ),
  );
  const music = musicAssets(production?.assembly ?? {});
  return [...files, ...music.flatMap((asset) => expectedAsset('music', asset, render))];
}
