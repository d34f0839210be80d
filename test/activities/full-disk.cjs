'use strict';
/**
 * Downloads an address into a store on a disk that is nearly full, clears the disk, and downloads again. Says what came
 * of each attempt. Arguments: the disk's folder, the address.
 */
const { readdir, rm, statfs, writeFile } = require('node:fs/promises');
const { join } = require('node:path');
const { createDownloadAsset } = require('../../dist/activities/collect/download-asset');
const { storeTrouble } = require('../../dist/activities/translate-error');
const { openStore } = require('../../dist/store');

/** Room for half of what is downloaded. */
const ROOM_BYTES = 512 * 1024;

async function main([, , disk, url]) {
  const store = await openStore(join(disk, 'store'));
  const policy = { allowedPrivateHosts: [new URL(url).host], maxBytes: 10_000_000 };
  const download = createDownloadAsset(store, policy);
  const describe = async () => ({ mediaType: 'video/mp4', durationSeconds: null, width: null, height: null });
  const attempt = () =>
    download({ url, label: 'take', describe, signal: new AbortController().signal }).then(
      ({ sha256 }) => sha256,
      (error) => storeTrouble(error).type,
    );
  const { bavail, bsize } = await statfs(disk);
  await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize - ROOM_BYTES));
  const whileFull = [await attempt(), await attempt()];
  const [{ sizeBytes: keptBytes }] = await store.assets.leftParts('take');
  await rm(join(disk, 'filler'));
  const afterwards = await attempt();
  process.stdout.write(
    JSON.stringify({ whileFull, keptBytes, afterwards, left: await readdir(join(disk, 'store', 'parts')) }),
  );
}

void main(process.argv);
