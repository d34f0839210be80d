import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type AssetRef } from '../../contracts/asset';
import { type FileSource, FrozenProduction, type FrozenShot, unsentFields } from '../../contracts/render/frozen';
import { ID_PATTERN } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/render/plan';
import { type Fallback } from '../../contracts/render/plan';
import { probe } from '../../media/probe';
import { type AssetDescription, hashFile, type Store } from '../../store';
import { directedProduction } from './directed-production';
import {
  type CheckedAssembly,
  type CheckedMusic,
  type CheckedProduction,
  type CheckedShot,
} from '../production-file/checked-production';
import { type CheckedFile } from '../production-file/file-source';
import { assetOfJson, fallbackOf } from './freeze-fallback';
import { planOf } from './plan-of';

export interface FrozenInStore {
  readonly frozen: FrozenProduction;
  readonly ref: AssetRef;
  readonly plan: ProductionPlan;
  /** The production as written in its file, without directions (changes recorded in the store). */
  readonly written: AssetRef;
  /** The shots with a direction that does not apply (`DirectedProduction.lapsed`). */
  readonly lapsed: readonly string[];
}

export interface FreezeOptions {
  /** Replaces the production's own id. */
  readonly id?: string;
}

/**
 * Puts a checked production and its local files into the store, with directions applied.
 *
 * The result depends only on the production, its directions, and the names and bytes of its files, not on the folders.
 *
 * @throws RangeError for an invalid id; NotMediaError or a system error for a file that has changed since the check;
 * the store's errors.
 */
export async function freezeProduction(
  production: CheckedProduction,
  store: Store,
  options: FreezeOptions = {},
): Promise<FrozenInStore> {
  const file = await freeze(production, (path) => store.assets.putFile(path, describe), options);
  const { production: frozen, directed, takes, lapsed } = await directedProduction(file, store);
  const [ref, written] = [await store.putJson(frozen), await store.putJson(file)];
  const fallback = await putFallback(production, file, store);
  await putNotify(production, store);
  return {
    frozen,
    ref,
    plan: planOf(production, { written: file, frozen, directed, takes, fallback }),
    written,
    lapsed,
  };
}

/**
 * Freezes a production as written, without directions. Stores its files, its fallback and the address of its notices,
 * but not the frozen production.
 */
export async function freezeAsWritten(
  production: CheckedProduction,
  store: Store,
  options: FreezeOptions = {},
): Promise<Pick<FrozenInStore, 'frozen' | 'plan'>> {
  const frozen = await freeze(production, (path) => store.assets.putFile(path, describe), options);
  await putNotify(production, store);
  const fallback = await putFallback(production, frozen, store);
  return { frozen, plan: planOf(production, { written: frozen, frozen, directed: new Set(), fallback }) };
}

/** The asset of the fallback, if the file has one. Stores nothing. */
export async function fallbackForm(
  production: CheckedProduction,
  written: FrozenProduction,
): Promise<AssetRef | undefined> {
  const fallback = await freezeFallback(production, written, assetOf);
  return fallback === undefined ? undefined : assetOfJson(fallback);
}

async function putFallback(
  production: CheckedProduction,
  written: FrozenProduction,
  store: Store,
): Promise<AssetRef | undefined> {
  const fallback = await freezeFallback(production, written, (path) => store.assets.putFile(path, describe));
  return fallback === undefined ? undefined : store.putJson(fallback);
}

async function freezeFallback(
  production: CheckedProduction,
  written: FrozenProduction,
  putFile: PutFile,
): Promise<Fallback | undefined> {
  const { fallback: shots } = production;
  if (shots === undefined) return undefined;
  return fallbackOf(production, written, await freeze({ ...production, shots }, putFile, { id: written.id }));
}

async function putNotify({ notify }: CheckedProduction, { notices }: Store): Promise<void> {
  if (notify !== undefined) await notices.putTarget(notify.url);
}

/** The frozen production as written. Its files are hashed in place, and nothing is stored. */
export function frozenForm(production: CheckedProduction, options: FreezeOptions = {}): Promise<FrozenProduction> {
  return freeze(production, assetOf, options);
}

async function freeze(
  production: CheckedProduction,
  assetOfFile: PutFile,
  { id = production.id }: FreezeOptions,
): Promise<FrozenProduction> {
  if (!ID_PATTERN.test(id)) throw new RangeError(`"${id}" is no id; it must match ${ID_PATTERN.source}`);
  const { assembly, output } = production;
  const putFile = oncePerPath(assetOfFile);
  return FrozenProduction.parse({
    version: 1,
    id,
    title: production.title,
    // Freeze one shot after the other: copying several files at once is no faster.
    shots: await inOrder(production.shots, (shot) => freezeShot(shot, putFile)),
    ...(assembly === undefined ? {} : { assembly: await freezeAssembly(assembly, putFile) }),
    ...(output === undefined ? {} : { output }),
  });
}

type PutFile = (path: string) => Promise<AssetRef>;

/** Calls `putFile` once for each path, even if several shots or rows name it. */
export function oncePerPath(putFile: PutFile): PutFile {
  const put = new Map<string, Promise<AssetRef>>();
  return (path) => {
    const asset = put.get(path) ?? putFile(path);
    put.set(path, asset);
    return asset;
  };
}

/** The asset that a file would become in a store. */
export async function assetOf(path: string): Promise<AssetRef> {
  return { sha256: await hashFile(path), sizeBytes: (await stat(path)).size, ...(await describe(path)) };
}

export async function describe(path: string): Promise<AssetDescription> {
  const { mediaType, durationSeconds, width, height } = await probe(path);
  return { mediaType, durationSeconds, width, height };
}

/** A shot as written, with its local files as assets. */
export async function freezeShot(
  { id, model, parameters, files, texts, ...shot }: CheckedShot,
  putFile: PutFile,
): Promise<FrozenShot> {
  const frozenFiles: Record<string, FileSource | FileSource[]> = {};
  for (const [parameter, source] of Object.entries(files)) {
    frozenFiles[parameter] = isList(source)
      ? await inOrder(source, (one) => freezeFile(one, putFile))
      : await freezeFile(source, putFile);
  }
  return {
    id,
    model,
    parameters: { ...parameters },
    files: frozenFiles,
    ...(texts === undefined ? {} : { texts }),
    ...unsentFields(shot),
  };
}

async function freezeFile(file: CheckedFile, putFile: PutFile): Promise<FileSource> {
  if (file.kind !== 'local') return file;
  return { kind: 'asset', asset: await putFile(file.path), name: basename(file.path) };
}

async function freezeAssembly({ music, ...assembly }: CheckedAssembly, putFile: PutFile): Promise<object> {
  if (music === undefined) return assembly;
  const put = async ({ file, ...one }: CheckedMusic): Promise<object> => ({ asset: await putFile(file.path), ...one });
  return { ...assembly, music: 'file' in music ? await put(music) : await inOrder(music, put) };
}

function isList(source: CheckedFile | readonly CheckedFile[]): source is readonly CheckedFile[] {
  return Array.isArray(source);
}

export async function inOrder<From, To>(list: readonly From[], turn: (one: From) => Promise<To>): Promise<To[]> {
  const turned: To[] = [];
  for (const one of list) turned.push(await turn(one));
  return turned;
}
