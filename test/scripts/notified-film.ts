import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HookReceiver, startReceiver } from '../support/hook-receiver';
import { killSet } from '../support/running-parts';
import { temporaryFolder } from '../support/temporary-folder';

export let folder: string;
export let receiver: HookReceiver;

beforeEach(async () => {
  folder = await temporaryFolder();
  receiver = await startReceiver();
});

afterEach(async () => {
  killSet(folder);
  await receiver.close();
});

/** Writes film.yaml with that entry `notify`. */
export async function write(notify: string): Promise<void> {
  const shots =
    'models: { pixel-image-1: { output: image } }\nshots: [{ id: a, model: pixel-image-1, prompt: dawn }]\n';
  await writeFile(join(folder, 'film.yaml'), `${shots}notify: ${notify}\n`);
}
