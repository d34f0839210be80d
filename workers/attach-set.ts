import { findFfmpeg } from '../media';
import { type Config } from './config';
import { attachEmbedded, type EmbeddedSet } from './embedded/attach';
import { readHolder } from './embedded/lock';
import { setFiles } from './embedded/set-files';
import { checkWorkerPackage } from './worker-package';

/**
 * Attaches to the embedded set of a configuration, bringing up what it lacks.
 *
 * @param env the environment to start it with.
 * @param ui whether a set that this call brings up serves Temporal's UI.
 * @throws FfmpegMissingError, WorkerPackageMissing, EmbeddedSetMismatch, EmbeddedSetFailed
 */
export async function attachSet(
  { storeFolder, account, gateway, temporalAddress, ffmpegPath, sandboxPictures }: Config,
  env: Readonly<Record<string, string | undefined>>,
  onNotice: (line: string) => void,
  { ui = false }: { readonly ui?: boolean } = {},
): Promise<EmbeddedSet> {
  // A set without ffmpeg or workers does not come up, and cannot say so as well.
  if ((await readHolder(setFiles(storeFolder).lock)) === undefined) {
    checkWorkerPackage();
    await findFfmpeg(ffmpegPath === undefined ? {} : { ffmpegPath });
  }
  return attachEmbedded({
    storeFolder,
    env,
    gatewayAccount: account,
    ui,
    sandbox: { pictures: sandboxPictures },
    ...(gateway === null ? {} : { gatewayUrl: gateway.url }),
    ...(temporalAddress === undefined ? {} : { temporalAddress }),
    onNotice,
  });
}
