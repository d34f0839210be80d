import { openStore } from '../../../store';
import { accountFolder } from '../../../store/account/account-folder';
import { createAccountLimits } from '../../../store/account/limits';
import { createFolderRecords, UnreadableRecord, type Records } from '../../../store/records';
import { temporaryFolder } from '../../support/temporary-folder';

describe("a change of an account's limits", () => {
  afterEach(() => jest.restoreAllMocks());

  const newRecords = async () => createFolderRecords((await openStore(await temporaryFolder())).folder);

  /** Adds a limit for one model. */
  const limitModel = (records: Records, model: string) =>
    createAccountLimits(records, 'sandbox').change((before) => ({
      ...before,
      models: { ...before.models, [model]: { inFlight: 1 } },
    }));

  const limitedModels = async (records: Records) =>
    Object.keys((await createAccountLimits(records, 'sandbox').read()).models).toSorted();

  it('is in force once it is recorded, even if its process dies at that moment, and later ones keep it', async () => {
    const records = await newRecords();
    const dying = { ...records, replace: () => Promise.reject(new Error('the process was killed')) };
    await expect(limitModel(dying, 'm1')).rejects.toThrow('killed');
    expect(await limitedModels(records)).toEqual(['m1']);

    await Promise.all(['m2', 'm3', 'm4'].map((model) => limitModel(records, model)));
    expect(await limitedModels(records)).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  it('is not lost if others change the limits while its process stalls, and undoes none of theirs', async () => {
    // Each look at the clock takes an hour, so that no deadline hides a lost change.
    let hours = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (hours += 1) * 3_600_000);
    type Around = <T>(call: () => Promise<T>) => Promise<T>;
    const stallAt: Record<string, (records: Records, around: Around) => Records> = {
      read: (records, around) => ({ ...records, read: (key) => around(() => records.read(key)) }),
      create: (records, around) => ({ ...records, create: (key, value) => around(() => records.create(key, value)) }),
      replace: (records, around) => ({
        ...records,
        replace: (key, value) => around(() => records.replace(key, value)),
      }),
    };
    for (const [call, stall] of Object.entries(stallAt)) {
      for (const when of ['before', 'after']) {
        const records = await newRecords();
        await limitModel(records, 'earlier');
        let stalled = false;
        const changeMeanwhile = async () => {
          if (stalled) return;
          stalled = true;
          for (const model of ['quick-1', 'quick-2']) await limitModel(records, model);
        };
        const stalling = stall(records, async (finish) => {
          if (when === 'before') await changeMeanwhile();
          const result = await finish();
          if (when === 'after') await changeMeanwhile();
          return result;
        });
        await limitModel(stalling, 'stalled');
        const models = ['earlier', 'quick-1', 'quick-2', 'stalled'];
        expect([call, when, await limitedModels(records)]).toEqual([call, when, models]);
      }
    }
  });

  it('continues if the process of another change has died under an earlier version', async () => {
    const records = await newRecords();
    const claim = `${accountFolder('sandbox')}/limits-after-0`;
    // Earlier versions recorded that they were about to change the limits.
    for (const key of [claim, `${claim}-2`]) await records.create(key, { at: '2026-10-01T00:00:00.000Z' });
    expect(await limitedModels(records)).toEqual([]);
    for (const model of ['m1', 'm2']) await limitModel(records, model);
    expect(await limitedModels(records)).toEqual(['m1', 'm2']);
  });

  it('is refused as unreadable if it is not later than what it replaces', async () => {
    const records = await newRecords();
    const at = '1970-01-01T00:00:00.000Z';
    await records.create(`${accountFolder('sandbox')}/limits-after-0`, { account: {}, models: {}, at });
    await expect(limitedModels(records)).rejects.toThrow(UnreadableRecord);
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
