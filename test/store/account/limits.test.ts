import { openStore } from '../../../store';
import { createAccountLimits } from '../../../store/account/limits';
import { createFolderRecords } from '../../../store/records';
import { temporaryFolder } from '../../support/temporary-folder';

describe("a change of an account's limits", () => {
  afterEach(() => jest.restoreAllMocks());

  it('continues if the process of another change has died before its write', async () => {
    const folder = (await openStore(await temporaryFolder())).folder;
    const records = createFolderRecords(folder);
    const died = createAccountLimits(
      { ...records, replace: () => Promise.reject(new Error('the process was killed')) },
      'sandbox',
    );
    await expect(died.change(() => ({ account: { inFlight: 1 }, models: {} }))).rejects.toThrow('killed');

    const clock = jest.spyOn(performance, 'now');
    for (let seconds = 1; seconds <= 9; seconds += 1) clock.mockReturnValueOnce(seconds * 1000);
    const limits = createAccountLimits(records, 'sandbox');
    const changed = { account: { inFlight: 2 }, models: {} };
    expect(await limits.change(() => changed)).toEqual(changed);
    expect(await limits.read()).toEqual(changed);
    expect(clock.mock.calls.length).toBeGreaterThan(5);
  });

  it('is one of several that wait for the same dead one, and none of them is lost', async () => {
    const records = createFolderRecords((await openStore(await temporaryFolder())).folder);
    const died = createAccountLimits({ ...records, replace: () => Promise.reject(new Error('killed')) }, 'sandbox');
    await expect(died.change(() => ({ account: { inFlight: 1 }, models: {} }))).rejects.toThrow('killed');

    // A second for each look at the clock, so that nobody waits.
    let seconds = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (seconds += 1) * 1000);
    const models = ['m1', 'm2', 'm3', 'm4'];
    await Promise.all(
      models.map((model) =>
        createAccountLimits(records, 'sandbox').change((before) => ({
          ...before,
          models: { ...before.models, [model]: { inFlight: 1 } },
        })),
      ),
    );
    expect(Object.keys((await createAccountLimits(records, 'sandbox').read()).models).toSorted()).toEqual(models);
  });

  it('is not lost to another one that stalled for so long that its right was taken over', async () => {
    const records = createFolderRecords((await openStore(await temporaryFolder())).folder);
    const setFor = (of: typeof records, model: string) =>
      createAccountLimits(of, 'sandbox').change((before) => ({
        ...before,
        models: { ...before.models, [model]: { inFlight: 1 } },
      }));
    let seconds = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (seconds += 1) * 1000);
    let reads = 0;
    const read: typeof records.read = async (key) => {
      const record = await records.read(key);
      // The second read is the one after the claim.
      if (key.endsWith('/limits') && (reads += 1) === 2) await setFor(records, 'quick');
      return record;
    };
    await setFor({ ...records, read }, 'stalled');
    const { models } = await createAccountLimits(records, 'sandbox').read();
    expect(Object.keys(models).toSorted()).toEqual(['quick', 'stalled']);
  });

  it('has a later time than the one before, whatever the clock says', async () => {
    const limits = createAccountLimits(createFolderRecords((await openStore(await temporaryFolder())).folder), 'a');
    const forces = new Set<string | undefined>();
    for (let inFlight = 1; inFlight <= 3; inFlight += 1) {
      jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000 - inFlight);
      await limits.change(() => ({ account: { inFlight }, models: {} }));
      forces.add((await limits.inForce())?.force);
    }
    expect(forces.size).toBe(3);
  });
});
