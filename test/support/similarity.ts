import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type AssetRef } from '../../contracts/asset';
import { findFfmpeg } from '../../media';
import { type FolderStore } from '../../store';

/**
 * Structural similarity of two pictures, 0 to 1, by ffmpeg's ssim filter. The first is scaled to the size of the
 * second.
 */
export async function similarityOfFiles(a: string, b: string): Promise<number> {
  const { path } = await findFfmpeg();
  const graph = '[0:v][1:v]scale2ref[a][b];[a][b]ssim';
  const run = promisify(execFile)(path, [
    '-nostdin',
    '-hide_banner',
    '-i',
    a,
    '-i',
    b,
    '-lavfi',
    graph,
    '-f',
    'null',
    '-',
  ]);
  const { stderr } = await run;
  const measured = /All:([0-9.]+)/.exec(stderr)?.[1];
  if (measured === undefined) throw new Error(`no similarity in: ${stderr}`);
  return Number(measured);
}

export function similarity(store: FolderStore, a: AssetRef, b: AssetRef): Promise<number> {
  return similarityOfFiles(store.assets.shownPath(a), store.assets.shownPath(b));
}
