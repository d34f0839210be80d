import { type LinkedFrame } from '../../contracts/activities';
import { type AssetRef } from '../../contracts/asset';
import { type FileSource, type FrameLink, type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { dataUriBytes, type FileValuePolicy } from '../../contracts/file/file-values';
import { frameInWords } from '../../contracts/file/frame-links';
import { knownModel } from '../../contracts/gateway/models';
import { type Intent, type Store } from '../../store';
import { failure } from '../fail';
import { checkThere } from '../stored-json';

/** Turns the source of a file into the value of its parameter. */
type Render = (source: FileSource, parameter: string) => string | Promise<string>;

/**
 * The model's input as it is sent. Files are addresses or data URIs. `shot.parameters` must already have the texts that
 * other shots wrote (see `withWrittenTexts`).
 *
 * @throws FileNotSendable, AssetMissing (final).
 */
export function wireParameters(
  production: FrozenProduction,
  shot: FrozenShot,
  links: readonly LinkedFrame[],
  store: Store,
  policy: FileValuePolicy,
): Promise<Record<string, unknown>> {
  return parametersWith(production, shot, (source, parameter) => {
    switch (source.kind) {
      case 'address':
        return source.url;
      case 'asset':
        return dataUri(store, source.asset, policy, `${parameter} (${source.name})`);
      case 'link':
        return dataUri(store, sentAsset(links, source), policy, `${parameter} (${frameInWords(source)})`);
    }
  });
}

/** The model's input for the ledger. Files are named by hash or address. */
export function describedParameters(
  production: FrozenProduction,
  shot: FrozenShot,
  links: readonly LinkedFrame[],
): Promise<Record<string, unknown>> {
  return parametersWith(production, shot, (source) => {
    switch (source.kind) {
      case 'address':
        return source.url;
      case 'asset':
        return `sha256:${source.asset.sha256}`;
      case 'link':
        return `sha256:${sentAsset(links, source).sha256}`;
    }
  });
}

/** For each parameter that is sent as a color-corrected frame: the hash of the frame before the correction. */
export function carriedFrames({ files }: FrozenShot, links: readonly LinkedFrame[]): Pick<Intent, 'carried'> {
  const carried = Object.entries(files).flatMap(([parameter, source]) =>
    Array.isArray(source) || source.kind !== 'link' || source.anchor === undefined
      ? []
      : [[parameter, linkedFrame(links, source).asset.sha256] as const],
  );
  return carried.length === 0 ? {} : { carried: Object.fromEntries(carried) };
}

/** True if the gateway should return the last frame: the model can return it, and another shot uses it. */
export function wantsLastFrame(production: FrozenProduction, shot: FrozenShot): boolean {
  return (
    knownModel(shot.model.id)?.returnsLastFrame === true &&
    production.shots.some(({ files }) =>
      Object.values(files)
        .flat()
        .some((source) => source.kind === 'link' && source.shot === shot.id && source.frame === 'last'),
    )
  );
}

/** @throws AssetMissing (final). */
export function linkedFrame(links: readonly LinkedFrame[], wanted: FrameLink): LinkedFrame {
  const link = links.find(({ shot, frame }) => shot === wanted.shot && frame === wanted.frame);
  if (link === undefined) throw failure('AssetMissing', `the ${frameInWords(wanted)} is not known`);
  return link;
}

async function parametersWith(
  production: FrozenProduction,
  shot: FrozenShot,
  render: Render,
): Promise<Record<string, unknown>> {
  const files = await Promise.all(
    Object.entries(shot.files).map(async ([parameter, source]) => {
      const value = Array.isArray(source)
        ? await Promise.all(source.map((one) => Promise.resolve(render(one, parameter))))
        : await render(source, parameter);
      return [parameter, value] as const;
    }),
  );
  return {
    ...shot.parameters,
    ...Object.fromEntries(files),
    ...(wantsLastFrame(production, shot) ? { returnLastFrame: true } : {}),
  };
}

function sentAsset(links: readonly LinkedFrame[], source: FrameLink): AssetRef {
  const { asset, corrected } = linkedFrame(links, source);
  if (source.anchor === undefined) return asset;
  if (corrected === undefined) throw failure('AssetMissing', `the frame of ${source.shot} has not been corrected`);
  return corrected;
}

async function dataUri(store: Store, asset: AssetRef, policy: FileValuePolicy, what: string): Promise<string> {
  if (policy.fileValues === 'url') {
    throw failure('FileNotSendable', `${what} has no address, and DAILIES_FILE_VALUES=url allows only addresses`);
  }
  const uriBytes = dataUriBytes(asset.mediaType, asset.sizeBytes);
  if (uriBytes > policy.dataUriMaxBytes) {
    throw failure(
      'FileNotSendable',
      `${what} makes a data URI of ${uriBytes} bytes, and DAILIES_DATA_URI_MAX_BYTES allows ${policy.dataUriMaxBytes}`,
    );
  }
  await checkThere(store, asset, what);
  return `data:${asset.mediaType};base64,${(await store.assets.readBytes(asset)).toString('base64')}`;
}
