import { batchEnded, pictureRow, startRows } from '../support/batches';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

describe('a batch of an account with limits', () => {
  describe('with one task at a time', () => {
    let rig: Rig;
    beforeAll(async () => {
      rig = await startRig();
      await limit(1);
    });
    afterAll(() => rig.close());

    async function limit(inFlight: number): Promise<void> {
      await rig.store.account('sandbox').limits.change(() => ({ account: { inFlight }, models: {} }));
      await rig.client.arbiter.limitsChanged();
    }
    const waiting = (production: string) =>
      until(async () => (await rig.client.arbiter.view())?.waiting.find((one) => one.production === production));

    it('takes turns as one production although its rows are productions, each by its own priority or else the lowest', async () => {
      rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
      await startRows(rig, 'first', [pictureRow('a')]);
      await until(() => rig.sandbox.tasks().length === 1);
      const shots = (name: string) => [{ id: 's', model: 'pixel-image-1', prompt: name, width: 64, height: 36 }];
      const models = { 'pixel-image-1': { output: 'image' } };
      await startRows(rig, 'films', [
        { id: 'plain', models, shots: shots('plain') },
        { id: 'quick', models, shots: shots('quick'), priority: 'normal' },
      ]);
      expect(await waiting('films.plain')).toMatchObject({ group: 'films', priority: 'batch' });
      expect(await waiting('films.quick')).toMatchObject({ group: 'films', priority: 'normal' });
      expect(await rig.client.productions.begun('films.plain')).toMatchObject({ priority: 'batch' });
      await limit(2);
      expect(await batchEnded(rig, 'films')).toMatchObject({ counts: { completed: 2 } });
      const order = rig.sandbox.tasks().map(({ parameters }) => (parameters as { prompt: string }).prompt);
      expect(order.slice(1)).toEqual(['quick', 'plain']);
    });
  });
});
