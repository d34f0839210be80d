import { findFfmpeg } from '../media';
import { type Config } from './config/config';
import { attachEmbedded } from './embedded/attach';
import { type EmbeddedSet } from './embedded/embedded-set';
import { readHolder } from './embedded/lock';
import { EmbeddedSetEnded } from './embedded/errors';
import { setFiles } from './embedded/set-files';
import { checkWorkerPackage } from './worker-package';

/**
 * Attaches to the embedded set of a store (a worker and its servers). Starts the set if necessary.
 *
 * @param env the environment to start the set with.
 * @param ui whether Temporal's UI is served, if this call starts the set.
 * @param startsNone attaches only to a set that runs.
 * @throws EmbeddedSetEnded with `startsNone`, if no set runs; FfmpegMissingError, WorkerPackageMissing,
 *   EmbeddedSetMismatch, EmbeddedSetFailed
 */
export async function attachSet(
  { storeFolder, account, gateway, temporalAddress, ffmpegPath, sandboxPictures }: Config,
  env: Readonly<Record<string, string | undefined>>,
  onNotice: (line: string) => void,
  { ui = false, startsNone = false }: { readonly ui?: boolean; readonly startsNone?: boolean } = {},
): Promise<EmbeddedSet> {
  // Without ffmpeg or the worker package the set does not start. The errors of these checks are clearer than the set's
  // own.
  if ((await readHolder(setFiles(storeFolder).lock)) === undefined) {
    if (startsNone) throw new EmbeddedSetEnded();
    checkWorkerPackage();
    await findFfmpeg({ ffmpegPath });
  }
  return attachEmbedded({
    storeFolder,
    env,
    gatewayAccount: account,
    ui,
    startsNone,
    sandbox: { pictures: sandboxPictures },
    ...(gateway === null ? {} : { gatewayUrl: gateway.url }),
    ...(temporalAddress === undefined ? {} : { temporalAddress }),
    onNotice,
  });
}
