import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Rig, startRig } from '../support/rig';
import { HISTORIES, recordScene } from './recorded-histories';
import { SCENES } from './scenes';

/**
 * Records every scene anew from the real thing, under the day's date: `npm run record-histories`.
 *
 * Nothing that was recorded before is touched. What it stands for may still run somewhere.
 */
const TODAY = new Date().toISOString().slice(0, 10);

/** A scene takes seconds, or minutes on a busy machine; one that hangs is broken. */
jest.setTimeout(600_000);

describe(`histories of ${TODAY}`, () => {
  let rig: Rig;

  beforeAll(async () => {
    const folder = join(HISTORIES, TODAY);
    if (existsSync(folder)) throw new Error(`${folder} is there; remove it first if nothing that it stands for runs`);
    rig = await startRig();
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  afterAll(() => rig.close());

  it.each(Object.entries(SCENES))('%s is recorded', async (name, play) => {
    await recordScene(`${TODAY}/${name}`, rig.temporal, await play(rig, name));
  });
});
