import { batchEnded, pictureRow, startRows } from '../support/batches';
import { film, pictureShot, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

const IN_FLIGHT = 8;

/** The duration of most tasks; they end one after the other, as with a real model. */
const SECONDS = 0.5;
const SECONDS_APART = 0.13;
const DIFFERENT = 9;

/** Tasks of this duration are all in flight at once, so that every granted lease has reached the gateway. */
const LONG_SECONDS = 15;
const LONG_SECONDS_APART = 0.7;

/**
 * Puts an urgent production of three shots in while a batch takes up all that the account allows, and expects that its
 * first submit is the next that the gateway accepts, counted from when the arbiter had it.
 */
export async function urgentAmongRows(rows: number): Promise<void> {
  const firstLong = rows / 5;
  let accepted = 0;
  const seconds = new Map<string, number>();
  const draw = (index: number): number => {
    const long = index - firstLong;
    if (long >= 0 && long < IN_FLIGHT) return LONG_SECONDS + LONG_SECONDS_APART * long;
    return SECONDS + SECONDS_APART * (index % DIFFERENT);
  };
  const renderSeconds = ({ id }: { id: string }): number => {
    const drawn = seconds.get(id) ?? draw(accepted++);
    seconds.set(id, drawn);
    return drawn;
  };
  const rig = await startRig({ renderSeconds });
  try {
    await rig.store.account('sandbox').limits.change(() => ({ account: { inFlight: IN_FLIGHT }, models: {} }));
    const all = Array.from({ length: rows }, (_, index) => pictureRow(`r${index + 1}`));
    await startRows(rig, 'night', all, { parallel: 40 });
    await until(() => rig.sandbox.tasks().length >= firstLong + IN_FLIGHT);

    const shots = ['s1', 's2', 's3'].map((name) =>
      pictureShot(name, { parameters: { prompt: `hurry ${name}`, width: 64, height: 36 } }),
    );
    await rig.start(film('hurry', shots), { assemble: false, priority: 'urgent' });
    const { arrivedAt, others } = await until(async () => {
      const { waiting = [] } = (await rig.client.arbiter.view()) ?? {};
      const first = waiting.find(({ production }) => production === 'hurry');
      return first !== undefined && { arrivedAt: first.since, others: waiting };
    });
    // The rows wait as one production, and behind the urgent one.
    expect(others[0]).toMatchObject({ production: 'hurry', priority: 'urgent' });
    expect(others.at(-1)).toMatchObject({ production: 'night', priority: 'batch', group: 'night' });

    await rig.client.ended('hurry');
    expect(acceptedSince(rig, arrivedAt)[0]).toMatch(/^hurry /);
    expect(await batchEnded(rig, 'night')).toMatchObject({ state: 'completed', counts: { completed: rows } });
    expect(rig.sandbox.counts().mostUnfinished).toBe(IN_FLIGHT);
    expect(rig.sandbox.tasks()).toHaveLength(rows + shots.length);
  } finally {
    await rig.close();
  }
}

/** Prompts of the tasks that the gateway has accepted since, in that order. */
function acceptedSince({ sandbox }: Rig, since: string): readonly string[] {
  return sandbox
    .tasks()
    .filter(({ acceptedAt }) => acceptedAt > since)
    .map(({ parameters }) => (parameters as { prompt: string }).prompt);
}
