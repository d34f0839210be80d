import { shotWorkflowId } from '../../contracts/identifiers';
import { type ShotOutcome } from '../../contracts/workflows';
import { standDownSignal } from '../../workflows/messages';
import { betaShot, film, linkedShot, shotsBy } from '../support/rig';
import { wantedIn } from '../support/ready-by';
import { until } from '../support/until';
import { rig, limit, hurried, asked, clip, three, fallbackOf } from './ready-by-productions';

describe('a production with a readyBy time', () => {
  it('switches waiting shots to the fallback, and leaves the accepted one', async () => {
    const production = three('turns');
    await limit({ inFlight: 1 });
    await hurried(production, { maxInFlight: 3, assemble: false }, 2);
    const ended = await rig.client.ended('turns');
    expect(ended.state).toBe('completed');
    const sent = asked('turns');
    expect(Object.values(sent).map(({ length }) => length)).toEqual([1, 1, 1]);
    const lengths = Object.values(sent).flat().toSorted();
    expect(lengths).toEqual([4, 4, 5]);
    const asWritten = Object.entries(sent).flatMap(([name, [length]]) => (length === 5 ? [name] : []));
    expect(fallbackOf(ended)).toEqual(['a', 'b', 'c'].filter((name) => !asWritten.includes(name)));
  });

  it('renders the tail of a chain by the fallback, starting on a shot that was rendered as written', async () => {
    const production = film('chain', [
      clip('chain', 'a'),
      linkedShot('b', 'a', { parameters: clip('chain', 'b').parameters }),
    ]);
    await hurried(production, { assemble: false });
    const ended = await rig.client.ended('chain');
    expect(ended.state).toBe('completed');
    expect(asked('chain')).toEqual({ a: [5], b: [4] });
  });

  it('only warns if the file names no fallback, or if the duration of tasks is unknown', async () => {
    const production = three('warned');
    await hurried(production, { maxInFlight: 1, assemble: false }, 0, 'fallback');
    const warned = await until(async () => {
      const status = await rig.client.status('warned');
      return status?.readyBy?.warning != null && status;
    });
    expect(warned.readyBy?.warning).toContain('names no fallback');
    const ended = await rig.client.ended('warned');
    expect(ended.readyBy).toMatchObject({ fallback: [], warning: expect.stringMatching(/^it ended \d+ s late$/) });
    expect(Object.values(asked('warned')).flat()).toEqual([5, 5, 5]);

    const unknown = film('unknown', [
      betaShot('a', {
        model: { id: 'alpha-3.0-video', output: 'video' },
        parameters: { prompt: 'unknown: a', duration: 5, resolution: '480P' },
      }),
    ]);
    await rig.start(unknown, await wantedIn(30, unknown, rig.store, { assemble: false }));
    const status = await until(async () => {
      const now = await rig.client.status('unknown');
      return now?.readyBy?.warning != null && now;
    });
    expect(status.readyBy).toMatchObject({ urgentFrom: null, lastMoment: null });
    expect(status.readyBy?.warning).toContain('how long tasks of alpha-3.0-video take is not known yet');
    const slow = await rig.client.ended('unknown');
    expect([slow.state, fallbackOf(slow)]).toEqual(['completed', []]);
  });

  it('keeps a shot that is asked to stand down after one of its takes was accepted', async () => {
    const production = film('asked', [clip('asked', 'a')]);
    await limit({ inFlight: 1 });
    await rig.start(production, { assemble: false, shots: shotsBy({ takes: 2 }, production) });
    await until(
      async () => asked('asked')['a'] !== undefined && (await rig.client.arbiter.view())?.waiting.length === 1,
    );
    const workflows = rig.temporal.client.workflow;
    const shot = workflows.getHandle(shotWorkflowId(rig.store.id, 'asked', 'a'));
    const { runId } = await shot.describe();
    await shot.signal(standDownSignal);
    const outcome = (await workflows.getHandle(shot.workflowId, runId).result()) as ShotOutcome;
    expect(outcome.stoodDown).toBeUndefined();
    expect(outcome.takes.map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect((await rig.client.ended('asked')).state).toBe('completed');
    expect(asked('asked')).toEqual({ a: [5, 5] });
  });

  it('lets a shot with several takes stand down only with all of them', async () => {
    const production = film('siblings', [clip('siblings', 'a'), clip('siblings', 'b')]);
    await limit({ inFlight: 1 });
    await hurried(production, { assemble: false, shots: shotsBy({ takes: 2 }, production) }, 3);
    await rig.client.ended('siblings');
    const lengths = Object.values(asked('siblings'));
    // One shot had a take accepted, so it keeps both takes. The other had none.
    expect(lengths.map((one) => one.join()).toSorted()).toEqual(['4', '5,5']);
  });

  it('starts nothing by the fallback once it is cancelled, even while shots stand down', async () => {
    const production = three('cancelled');
    await limit({ inFlight: 1 });
    await hurried(production, { assemble: false }, 2);
    await rig.client.cancel('cancelled');
    expect((await rig.client.ended('cancelled')).state).toBe('cancelled');
    expect(Object.values(asked('cancelled')).every(({ length }) => length === 1)).toBe(true);
  });
});
