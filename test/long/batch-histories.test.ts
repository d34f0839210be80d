import { startRig } from '../support/rig';
import { batchOverHistories } from '../workflows/long-batch';

it('a batch of 520 rows continues in new histories, each far below the limits, and loses no row between them', async () => {
  const rig = await startRig();
  try {
    await batchOverHistories(rig, { rows: 520, parallel: 290 });
  } finally {
    await rig.close();
  }
});
