import { type TakeState } from '../../../contracts/states';
import { type TakeProgress } from '../../../contracts/render/take';
import { type KeptShot, noteTakes, PENDING, toldShot } from '../../../workflows/progress/kept-shot';

function take(number: number, state: TakeState, credits: number | null = null): TakeProgress {
  const nothing = { taskId: null, asset: null, firstFrame: null, lastFrame: null, warnings: [] };
  return { take: number, takeKey: `key-${number}`, state, credits, ...nothing };
}

function shotWith(takes: readonly TakeProgress[], changes: Partial<KeptShot> = {}): KeptShot {
  return { ...PENDING, id: 'a', model: 'beta-2.5', takes, earlier: new Map(), run: null, ...changes };
}

const numbers = ({ takes }: KeptShot): readonly number[] => takes.map((one) => one.take);

describe('the takes that a production keeps of a shot', () => {
  it('are those that its last run has reported; the others are only counted', () => {
    const shot = shotWith([take(1, 'failed', 5), take(2, 'completed', 40)]);
    noteTakes(shot, { takes: [take(3, 'completed', 40)], sideBySide: 1, isAll: true });
    expect(numbers(shot)).toEqual([3]);
    expect(toldShot(shot).earlier).toEqual({ takes: 2, credits: 45 });
  });

  it('are all known takes while the run continues, or if it has reported none', () => {
    const shot = shotWith([take(1, 'completed')]);
    noteTakes(shot, { takes: [take(2, 'rendering')], sideBySide: 1, isAll: false });
    noteTakes(shot, { takes: [], sideBySide: 1, isAll: true });
    expect(numbers(shot)).toEqual([1, 2]);
    expect(toldShot(shot).earlier).toBeUndefined();
  });

  it('are at most two for each take made side by side; failed ones are dropped first', () => {
    const shot = shotWith([take(1, 'completed', 40), take(2, 'failed', 0), take(3, 'failed')]);
    noteTakes(shot, { takes: [take(4, 'rendering')], sideBySide: 1, isAll: false });
    expect(numbers(shot)).toEqual([1, 4]);
    expect(toldShot(shot).earlier).toEqual({ takes: 2, credits: 0 });
  });

  it('always include the chosen take and those under way', () => {
    const shot = shotWith([take(1, 'completed'), take(2, 'completed'), take(3, 'unclear')], { filmTake: 1 });
    noteTakes(shot, { takes: [take(4, 'rendering'), take(5, 'rendering')], sideBySide: 1, isAll: false });
    expect(numbers(shot)).toEqual([1, 3, 4, 5]);
  });

  it('include the one that the same report chooses, except in histories that dropped it', () => {
    const made = [take(1, 'completed'), take(2, 'completed'), take(3, 'completed')];
    const news = { takes: [take(4, 'rendering')], sideBySide: 1, isAll: false, chosen: 1 };
    const [kept, dropped] = [shotWith(made), shotWith(made)];
    noteTakes(kept, news);
    noteTakes(dropped, news, () => false);
    expect([numbers(kept), numbers(dropped)]).toEqual([
      [1, 4],
      [3, 4],
    ]);
  });

  it('are counted once if one of them is requested again', () => {
    const shot = shotWith([take(1, 'completed', 40)]);
    noteTakes(shot, { takes: [take(2, 'completed', 40)], sideBySide: 1, isAll: true });
    noteTakes(shot, { takes: [take(1, 'completed', 40)], sideBySide: 1, isAll: true });
    expect(numbers(shot)).toEqual([1]);
    expect(toldShot(shot).earlier).toEqual({ takes: 1, credits: 40 });
  });
});
