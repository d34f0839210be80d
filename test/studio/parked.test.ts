import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { html } from '../../client/contact-sheet/html';
import { parkedShown } from '../../studio/pages/film/parked';
import { type Rig, startRig } from '../support/rig';
import { openStudioApp, type StudioApp } from '../support/studio-app';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const SEA = { id: 'sea', model: 'pixel-image-1', prompt: 'the sea', width: 64, height: 36 };

describe('a shot with several parked takes', () => {
  it("shows each take's own price", () => {
    const credits = (most: number) => ({ low: most, high: most });
    const parked = {
      ...{ for: 'unclear', since: '2026-11-22T01:00:00.000Z', command: '' },
      takes: [
        { take: 1, for: 'unclear', resubmit: credits(4) },
        { take: 2, for: 'unclear', resubmit: credits(9) },
      ],
      costs: {
        ...{ unclearSubmits: 2, mayBeCharged: { low: 0, high: 13 } },
        answers: [{ answer: 'resubmit', credits: credits(9) }],
      },
    };
    const args = [{ id: 'film' }, { id: 'sea', entry: { parked } }, { token: () => html`` }];
    const shown = parkedShown(...(args as unknown as Parameters<typeof parkedShown>))?.markup ?? '';
    expect(shown.match(/once more \(\d+ credits\)/g)).toEqual(['once more (4 credits)', 'once more (9 credits)']);
  });
});

describe('a shot with takes that are parked for different reasons', () => {
  it('offers for each take what its own reason allows', () => {
    const parked = {
      ...{ for: 'overdue', since: '2026-11-22T01:00:00.000Z', command: '' },
      takes: [
        { take: 1, for: 'overdue' },
        { take: 2, for: 'uncollected' },
      ],
    };
    const args = [{ id: 'film' }, { id: 'sea', entry: { parked } }, { token: () => html`` }];
    const shown = parkedShown(...(args as unknown as Parameters<typeof parkedShown>))?.markup ?? '';
    expect(shown.match(/Wait longer|Try to collect it again/g)).toEqual(['Wait longer', 'Try to collect it again']);
  });
});

describe('a parked shot', () => {
  let rig: Rig;
  let studio: StudioApp;

  beforeAll(async () => {
    rig = await startRig();
    studio = await openStudioApp(rig, await temporaryFolder());
  });
  afterAll(() => rig.close());

  it('is paid for once more only while it waits for the decision that the person saw', async () => {
    const shot = '/productions/lost/shots/sea';
    const sendings = async () => (await rig.store.ledger.takes('lost', 'sea'))[0]?.sendings ?? [];
    const unclear = (n: number) => until(async () => (await sendings())[n - 1]?.unclear !== undefined);
    const pageWhenParked = () =>
      until(async () => {
        const page = await studio.get(shot);
        return page.body.includes('Pay for it once more') && page;
      });

    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await studio.dailies.renderProduction(
      { id: 'lost', models: { 'pixel-image-1': { output: 'image' } }, shots: [SEA] },
      { wait: false },
    );
    const [one, other] = [await pageWhenParked(), await studio.get(shot)];
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const pay = { answer: 'resubmit' };
    expect(await studio.submit(one, `${shot}/resolve`, pay)).toMatchObject({ status: 303 });
    await unclear(2);
    await pageWhenParked();
    const before = rig.sandbox.tasks().length;

    // The other page was loaded before the first answer: it does not know that the second submit is unclear too.
    const stale = await studio.submit(other, `${shot}/resolve`, pay);
    expect(stale).toMatchObject({ status: 409, body: expect.stringContaining('has changed since you saw it') });
    expect(rig.sandbox.tasks()).toHaveLength(before);
    expect(await sendings()).toHaveLength(2);

    const asSeen = await studio.submit(await studio.get(shot), `${shot}/resolve`, pay);
    expect(asSeen).toMatchObject({ status: 303 });
    expect((await studio.dailies.waitFor('lost')).state).toBe('completed');
    expect(rig.sandbox.tasks()).toHaveLength(before + 1);
  });

  it('is in the inbox, although another parked production has a damaged record', async () => {
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 2 });
    for (const id of ['torn', 'whole']) {
      const shots = [{ ...SEA, prompt: `the sea, ${id}`, retryFailed: 0 }];
      await studio.dailies.renderProduction({ id, models: { 'pixel-image-1': { output: 'image' } }, shots });
    }
    await writeFile(join(rig.store.folder, 'productions', 'torn', 'render.json'), 'x');
    const { status, body } = await studio.get('/review');
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(body).toContain('/productions/whole/shots/sea');
  });
});
