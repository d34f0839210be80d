import { directedProduction } from '../../client/freeze/directed-production';
import { shotDigest } from '../../store';
import { rig, hurried, asked, three, fallbackOf } from './ready-by-productions';

describe('a production with a readyBy time', () => {
  it('renders unsubmitted shots by the fallback at the last moment, and pays for each shot once', async () => {
    const production = three('late');
    await hurried(production, { maxInFlight: 1, assemble: false });
    const ended = await rig.client.ended('late');
    expect(ended.state).toBe('completed');
    const sent = asked('late');
    expect(sent).toEqual({ a: [5], b: [4], c: [4] });
    expect(fallbackOf(ended)).toEqual(['b', 'c']);
    const direction = await rig.store.directing.direction('late', 'c');
    expect(direction).toMatchObject({ by: 'deadline', of: shotDigest(production.shots[2]!) });

    const { production: later } = await directedProduction(production, rig.store);
    // The same production: a render of the same file would have joined it.
    expect((await rig.store.putJson(later)).sha256).toBe(ended.frozen.sha256);
    expect((await rig.render(later, { maxInFlight: 1, assemble: false })).state).toBe('completed');
    expect(asked('late')).toEqual(sent);
  });
});
