import { connectDailies, type Dailies, InvalidInput, readFrozen } from '../../client';
import { openDailies } from '../../workers';
import { type Rig, rigEnv, startRig } from '../support/rig';

describe('the functions for programs', () => {
  let rig: Rig;
  let dailies: Dailies;

  beforeAll(async () => {
    rig = await startRig();
    dailies = await connectDailies({
      address: rig.server.address,
      account: 'sandbox',
      storeFolder: rig.store.folder,
      fileValues: 'auto',
      dataUriMaxBytes: 20_000_000,
    });
  });

  afterAll(async () => {
    await dailies.close();
    await rig.close();
  });

  it('go to the server of the environment that is named, whatever server the process itself goes by', async () => {
    const before = process.env['TEMPORAL_ADDRESS'];
    process.env['TEMPORAL_ADDRESS'] = '127.0.0.1:1';
    try {
      const named = await openDailies({ ...rigEnv(rig), TEMPORAL_NAMESPACE: 'elsewhere' });
      expect(named.temporal.options.namespace).toBe('elsewhere');
      await named.temporal.workflowService.getSystemInfo({});
      await named.close();
      await expect(openDailies({ ...rigEnv(rig), TEMPORAL_ADDRESS: '127.0.0.1:2' })).rejects.toThrow('127.0.0.1:2');
    } finally {
      if (before === undefined) delete process.env['TEMPORAL_ADDRESS'];
      else process.env['TEMPORAL_ADDRESS'] = before;
    }
  });

  describe('the parameters of a task', () => {
    const still = { model: 'pixel-image-1', output: 'image', prompt: 'a lamp' } as const;

    async function frozenParameters(parameters: Readonly<Record<string, unknown>>) {
      const { task } = await dailies.freezeTask({ ...still, parameters });
      return (await readFrozen(rig.store.assets, task.production)).shots[0]?.parameters;
    }

    it('are sent as the values that they are, without those that are undefined', async () => {
      const parameters = { seed: undefined, 'a=b': 1, size: '2', camera: { x: [0.5, null] }, loop: true };
      expect(await frozenParameters(parameters)).toEqual({
        prompt: 'a lamp',
        'a=b': 1,
        size: '2',
        camera: { x: [0.5, null] },
        loop: true,
      });
      const ids = await Promise.all(
        [{}, { seed: undefined }].map(
          async (given) => (await dailies.freezeTask({ ...still, parameters: given })).task,
        ),
      );
      expect(ids[0]?.shotId).toBe(ids[1]?.shotId);
    });

    it.each([
      ['NaN', Number.NaN],
      ['infinity', Infinity],
      ['a list with a hole', [undefined]],
      ['a function', () => 1],
      ['a big integer', 1n],
      ['a date', new Date(0)],
    ])('are refused where JSON has no word for them, as for %s', async (_, seed) => {
      const refused = await frozenParameters({ seed }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(InvalidInput);
      expect((refused as InvalidInput).message).toMatch(/^seed: this is nothing that JSON has a word for; give /);
    });
  });
});
