import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { connectDailies, type ConnectOptions, type Dailies, InvalidInput, readFrozen, Refused } from '../../../client';
import { productionWorkflowId } from '../../../contracts/identifiers';
import { openDailies } from '../../../workers';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';
import { type Rig, rigEnv, startRig } from '../../support/rig';

const ROWS = `
parallel: 1
stopAfterFailures: 7
models: { quill-text-1: { output: text } }
generations:
  - { key: north, model: quill-text-1, prompt: a sign }
  - { key: south, model: quill-text-1, prompt: another }
`;

const FILM = `id: film
shots:
  - { id: a, model: beta-2.5, prompt: first light, duration: 4, resolution: 480p }
`;

function connecting({ server, store }: Rig): ConnectOptions {
  return {
    address: server.address,
    account: 'sandbox',
    storeFolder: store.folder,
    fileValues: 'auto',
    dataUriMaxBytes: 20_000_000,
  };
}

describe('the functions for programs', () => {
  let rig: Rig;
  let dailies: Dailies;

  beforeAll(async () => {
    rig = await startRig();
    dailies = await connectDailies(connecting(rig));
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
    } finally {
      if (before === undefined) delete process.env['TEMPORAL_ADDRESS'];
      else process.env['TEMPORAL_ADDRESS'] = before;
    }
  });

  it.each([
    ['maxInFlight', 0, '0 is not allowed; give a whole number, 1 or more, or null for the maximum in the file'],
    ['maxInFlight', 1.5, '1.5 is not allowed; give a whole number, 1 or more, or null for the maximum in the file'],
    ['parallel', 0, '0 is not allowed; give a whole number from 1 to 300'],
    ['parallel', 301, '301 is not allowed; give a whole number from 1 to 300'],
    ['stopAfterFailures', -1, '-1 is not allowed; give a whole number, 1 or more, or null for no limit'],
    ['priority', 'soon', 'soon is not allowed; give one of urgent, normal, batch'],
  ])('refuse what nothing can be begun with: %s %s', async (name, value, words) => {
    // As a caller without types has it.
    const options = { [name]: value };
    const doings =
      name === 'maxInFlight'
        ? [dailies.renderProduction('no-film.yaml', options)]
        : [dailies.batch('no-rows.yaml', options), dailies.retryFailed('no-batch', options)];
    for (const doing of doings) {
      const refused = await doing.catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(InvalidInput);
      expect((refused as InvalidInput).message).toBe(`${name}: ${words}`);
    }
  });

  it('say once that no worker serves the account, in place of waiting in silence', async () => {
    const film = join(await temporaryFolder(), 'film.yaml');
    await writeFile(film, FILM);
    const told: string[] = [];
    const onNotice = (line: string): unknown => told.push(line);
    const unserved = await connectDailies({ ...connecting(rig), account: 'another', onNotice });
    const over = new AbortController();
    const waiting = unserved.renderProduction(film, { signal: over.signal });
    await until(() => told.length > 0);
    expect(told[0]).toMatch(/^No worker serves this account and store yet; .* The account is "another", the store \//);
    over.abort();
    expect(await waiting).toMatchObject({ state: 'running' });
    await unserved.waitFor('film', { signal: over.signal });
    expect(told).toHaveLength(1);
    // Nor is anything decided that nobody could take.
    await expect(unserved.approve('film', 'a')).rejects.toThrow('nothing is decided. No worker serves this account');
    await expect(unserved.resolve('film', 'a', { kind: 'skip' })).rejects.toThrow('nothing is decided. No worker');
    await expect(unserved.retake('film', 'a', { prompt: 'dusk' })).rejects.toThrow('nothing has changed. No worker');
    await expect(unserved.retake('film', 'a', { parameters: { seed: Number.NaN } })).rejects.toThrow(InvalidInput);
    await unserved.close();
  });

  it("go by the file's rules where an option is there and undefined", async () => {
    const folder = await temporaryFolder();
    const rows = join(folder, 'rows.yaml');
    await writeFile(rows, ROWS);
    const options: object = { parallel: undefined, stopAfterFailures: undefined, priority: undefined };
    const { counts } = await dailies.batch(rows, options);
    expect(counts).toMatchObject({ completed: 2 });
    expect(await rig.store.batches.begun('rows')).toMatchObject({ parallel: 1, stopAfterFailures: 7 });
  });

  it('tell when a production that runs is expected to end, and no more once it has ended', async () => {
    const models = { 'pixel-image-1': { output: 'image', quick: false } } as const;
    const usual = rig.store.account('sandbox').usualTimes;
    for (const tookMs of [3_000, 4_000, 5_000]) await usual.note('pixel-image-1', tookMs);
    // Its submit is answered late, so that it is seen while it runs.
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: 4 });
    const shots = [{ id: 'a', model: 'pixel-image-1', prompt: 'a pier' }];
    const askedMs = Date.now();
    await dailies.renderProduction({ id: 'timed', models, shots }, { wait: false });
    const { at, earliest, latest, waitsThen } = await until(
      async () => (await dailies.status('timed')).expected ?? false,
    );
    expect(waitsThen).toBe(false);
    const [low, median, high] = [earliest, at, latest].map((instant) => Date.parse(instant));
    expect([low, median, high]).toEqual([low, median, high].toSorted((a = 0, b = 0) => a - b));
    // It was not accepted yet, and takes as long as one of the tasks before.
    expect(low).toBeGreaterThanOrEqual(askedMs + 3_000);
    expect(high).toBeLessThanOrEqual(Date.now() + 5_000);
    expect(await dailies.waitFor('timed')).toMatchObject({ state: 'completed' });
    expect(await dailies.status('timed')).toMatchObject({ state: 'completed', expected: null });
  });

  it('plan a paid take if the workflow in which a failed take waits was terminated', async () => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    const models = { 'pixel-image-1': { output: 'image' } } as const;
    const shots = [{ id: 'a', model: 'pixel-image-1', prompt: 'a pier at dusk', retryFailed: 0 }];
    const film = { id: 'terminated', models, shots };
    await dailies.renderProduction(film);
    const seen = await dailies.planRender(film);
    expect(seen.follows).toMatchObject({ joins: true, quote: { tasks: 0 } });
    await rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'terminated')).terminate();
    expect(await dailies.plan(film)).toMatchObject({ underWay: false, quote: { tasks: 1 } });
    await expect(dailies.renderProduction(film, { seen })).rejects.toThrow(Refused);
    expect(await rig.store.ledger.takes('terminated', 'a')).toHaveLength(1);
  });

  it('remember the folder that they are given, for later commands', async () => {
    const shots = [{ id: 'a', model: 'pixel-image-1', prompt: 'a bridge' }];
    const models = { 'pixel-image-1': { output: 'image' }, 'quill-text-1': { output: 'text' } } as const;
    const generations = [{ key: 'north', model: 'quill-text-1', prompt: 'a sign' }];
    const folder = await temporaryFolder();
    const named = async (id: string) => (await rig.store.outPlaces.noted(id)).named;
    await dailies.renderProduction({ id: 'placed', models, shots }, { wait: false, out: join(folder, 'one') });
    expect(await named('placed')).toBe(join(folder, 'one'));
    await dailies.waitFor('placed', { out: relative(process.cwd(), join(folder, 'two')) });
    expect(await named('placed')).toBe(join(folder, 'two'));
    await dailies.waitFor('placed');
    expect(await named('placed')).toBe(join(folder, 'two'));
    await dailies.batch({ id: 'placed-rows', models, generations }, { wait: false, out: join(folder, 'one') });
    expect(await named('placed-rows')).toBe(join(folder, 'one'));
    await dailies.waitForBatch('placed-rows', { out: join(folder, 'two') });
    expect(await named('placed-rows')).toBe(join(folder, 'two'));
  });

  describe('a task', () => {
    const still = { model: 'pixel-image-1', output: 'image', prompt: 'a door' } as const;

    it('is begun without being waited for, and is found and waited for by the same task again', async () => {
      const begun = await dailies.generate({ ...still, id: 'door' }, { wait: false });
      expect(begun).toMatchObject({ id: 'door', state: 'running', asset: null });
      expect(await dailies.generate({ ...still, id: 'door' }, { signal: AbortSignal.abort() })).toEqual(begun);
      expect(await dailies.generate({ ...still, id: 'door' })).toMatchObject({ id: 'door', state: 'completed' });
      expect(await rig.store.ledger.takes('generations', 'door')).toHaveLength(1);
    });

    it('has the priority that it is given', async () => {
      const { task } = await dailies.freezeTask({ ...still, priority: 'urgent' });
      expect(task.turn).toMatchObject({ priority: 'urgent' });
    });
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
      expect((refused as InvalidInput).message).toMatch(/^seed: JSON cannot express this value; give /);
    });
  });
});
