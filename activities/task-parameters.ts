import { readFile } from 'node:fs/promises';
import { type LinkedFrame } from '../contracts/activities';
import { type AssetRef } from '../contracts/asset';
import { type FileSource, type FrameLink, type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { dataUriBytes, type FileValuePolicy } from '../contracts/file-values';
import { knownModel } from '../contracts/models';
import { type Store } from '../store';
import { failure } from './fail';

/** Turns the source of a file value into what stands in the parameters. */
type Render = (source: FileSource, parameter: string) => string | Promise<string>;

/** The model's input for the wire: files as addresses or data URIs. */
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
        return dataUri(store, linkedAsset(links, source), policy, `${parameter} (a frame of ${source.shot})`);
    }
  });
}

/** The same for the ledger: files named by hash or address. */
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
        return `sha256:${linkedAsset(links, source).sha256}`;
    }
  });
}

/** Whether Dailies asks the gateway for the last frame: where the model hands it over and another shot starts on it. */
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

function linkedAsset(links: readonly LinkedFrame[], { shot, frame }: FrameLink): AssetRef {
  const link = links.find((one) => one.shot === shot && one.frame === frame);
  if (link === undefined) throw failure('AssetMissing', `the ${frame} frame of ${shot} is not known`);
  return link.asset;
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
  if (!(await store.assets.has(asset))) {
    throw failure('AssetMissing', `${what}, asset ${asset.sha256}, is not in the store ${store.folder}`);
  }
  return `data:${asset.mediaType};base64,${await readFile(store.assets.localPath(asset), 'base64')}`;
}
