import { Refused } from '../../../client';
import { review, type Reviewed, type Reviewing, type Shown } from '../../../scripts/review/review-loop';
import { type WaitingShot } from '../../../scripts/review/waiting-shots';

const dawn: WaitingShot = { id: 'dawn', for: 'approval', takes: [1, 2], firstShown: 1 };
const noon: WaitingShot = { id: 'noon', for: 'approval', takes: [1], firstShown: 1 };

interface Story {
  readonly answers: readonly string[];
  /** The shots that wait at the beginning. Approved and rejected ones no longer wait. */
  readonly shots?: readonly WaitingShot[];
  /** Called before each look, with its number. */
  readonly meanwhile?: (look: number, shots: WaitingShot[]) => void;
  /** The person's answer to the price. */
  readonly agrees?: boolean;
  readonly refuses?: number;
}

/** Runs a review with the answers in order, and returns what was done. */
async function played({ answers, shots = [dawn, noon], meanwhile, agrees = true, refuses = 0 }: Story) {
  const [waiting, typed, done, told] = [[...shots], [...answers], [] as string[], [] as string[]];
  let [looks, refusals, version] = [0, refuses, 1];
  const decide = (what: string, { shot, take }: Shown): Promise<boolean> => {
    if (refusals > 0) {
      refusals -= 1;
      return Promise.reject(new Refused('the production has changed'));
    }
    done.push(`${what} ${shot.id} ${take}`);
    if (agrees) waiting.splice(waiting.indexOf(shot), 1);
    return Promise.resolve(agrees);
  };
  const reviewing: Reviewing = {
    look() {
      looks += 1;
      meanwhile?.(looks, waiting);
      return Promise.resolve({ version: String(version), shots: [...waiting] });
    },
    show: ({ shot, take }, { at, of }) => Promise.resolve(void done.push(`show ${shot.id} ${take} ${at}/${of}`)),
    ask: () => Promise.resolve(typed.shift()),
    tell: (line) => void told.push(line),
    approve: (shown) => decide('approve', shown),
    async reject(shown) {
      const agreed = await decide('reject', shown);
      if (agreed) version += 1;
      return agreed;
    },
  };
  const reviewed: Reviewed = await review(reviewing);
  return { done, told, reviewed, unread: typed.length };
}

describe('a review', () => {
  it.each<[string, Story, readonly string[], Reviewed]>([
    [
      'approves the take that stands, and rejects the next',
      { answers: ['a', 'r'] },
      ['show dawn 1 1/2', 'approve dawn 1', 'show noon 1 2/2', 'reject noon 1'],
      { approved: ['dawn'], rejected: ['noon'], isLeft: false },
    ],
    [
      'leaves a shot for later, and decides nothing after the person has quit',
      { answers: ['n', 'q', 'a'] },
      ['show dawn 1 1/2', 'show noon 1 2/2'],
      { approved: [], rejected: [], isLeft: true },
    ],
    [
      'ends where the terminal is closed',
      { answers: [] },
      ['show dawn 1 1/2'],
      { approved: [], rejected: [], isLeft: true },
    ],
    [
      'says that something is left where all was shown, and one left for later',
      { answers: ['n', 'A'] },
      ['show dawn 1 1/2', 'show noon 1 2/2', 'approve noon 1'],
      { approved: ['noon'], rejected: [], isLeft: true },
    ],
    [
      'shows another take that is chosen, and approves that one',
      { answers: ['c', '2', 'a', 'q'] },
      ['show dawn 1 1/2', 'show dawn 2 1/2', 'approve dawn 2', 'show noon 1 2/2'],
      { approved: ['dawn'], rejected: [], isLeft: true },
    ],
    [
      'takes no word that it does not know, nor a choice where there is none, and shows nothing again for that',
      { answers: ['yes', '', 'c', '7', 'n', 'c', 'n'] },
      ['show dawn 1 1/2', 'show noon 1 2/2'],
      { approved: [], rejected: [], isLeft: true },
    ],
    [
      'asks again where the person says no to the price',
      { answers: ['r', 'q'], agrees: false },
      ['show dawn 1 1/2', 'reject dawn 1'],
      { approved: [], rejected: [], isLeft: true },
    ],
  ])('%s', async (_, story, done, reviewed) => {
    expect(await played(story)).toMatchObject({ done, reviewed });
  });

  it('decides nothing about a shot that has changed since it was shown, and shows it again', async () => {
    const another = { ...dawn, takes: [1, 2, 3] };
    const meanwhile: Story['meanwhile'] = (look, shots) => {
      if (look === 2) shots[0] = another;
    };
    const { done, told } = await played({ answers: ['a', 'a', 'q'], meanwhile });
    expect(done).toEqual(['show dawn 1 1/2', 'show dawn 1 1/2', 'approve dawn 1', 'show noon 1 2/2']);
    expect(told).toEqual([expect.stringContaining('"dawn" has changed since it was shown')]);
  });

  it('decides nothing about a shot that no longer waits', async () => {
    const meanwhile: Story['meanwhile'] = (look, shots) => {
      if (look === 2) shots.shift();
    };
    const { done } = await played({ answers: ['r', 'q'], meanwhile });
    expect(done).toEqual(['show dawn 1 1/2', 'show noon 1 1/1']);
  });

  it('prints a refusal, and continues', async () => {
    const { told, reviewed } = await played({ answers: ['a', 'a', 'q'], refuses: 1 });
    expect(told).toEqual(['Refused: the production has changed']);
    expect(reviewed.approved).toEqual(['dawn']);
  });

  it('shows a shot once although it waits a moment longer after its approval, and again once it has another take', async () => {
    let isLate = true;
    const meanwhile: Story['meanwhile'] = (look, shots) => {
      if (look === 3 && isLate) shots.unshift(dawn);
      if (look === 5) shots.splice(0, 1, { ...dawn, takes: [1, 2, 3] });
      isLate = look < 3;
    };
    const { done, reviewed } = await played({ answers: ['a', 'a', 'q'], meanwhile });
    expect(done).toEqual(['show dawn 1 1/2', 'approve dawn 1', 'show noon 1 2/2', 'approve noon 1', 'show dawn 1 3/3']);
    expect(reviewed).toEqual({ approved: ['dawn', 'noon'], rejected: [], isLeft: true });
  });
});
