import { shotStarts } from '../../../client/contact-sheet/shot-starts';
import { type FrozenProduction, type FrozenTransition } from '../../../contracts/render/frozen';
import { type ProductionStatus } from '../../../contracts/status';
import { betaShot, film } from '../../support/rig';

const CROSSFADE = { kind: 'crossfade', seconds: 1 } as const;
const CUT = { kind: 'cut' } as const;

/** Three clips of four seconds each. */
const STATUS = {
  shots: ['a', 'b', 'c'].map((id) => ({
    id,
    state: 'completed',
    filmTake: 1,
    takes: [{ take: 1, asset: { mediaType: 'video/mp4', durationSeconds: 4 } }],
  })),
} as unknown as ProductionStatus;

const production = (transition: FrozenTransition, own?: FrozenTransition): FrozenProduction => ({
  ...film(
    'film',
    ['a', 'b', 'c'].map((id) => betaShot(id, id === 'b' && own ? { transition: own } : {})),
  ),
  assembly: { transition, subtitles: false },
});

describe('the start of a shot in the film, on the contact sheet', () => {
  it.each<[string, FrozenProduction, number, readonly number[]]>([
    ['cuts', production(CUT), 12, [0, 4, 8]],
    ['crossfades', production(CROSSFADE), 10, [0, 3, 6]],
    ['a cut of its own', production(CROSSFADE, CUT), 11, [0, 4, 7]],
    ['a crossfade of its own', production(CUT, CROSSFADE), 11, [0, 3, 7]],
  ])('accounts for %s', (_what, of, filmSeconds, starts) => {
    expect([...shotStarts(of, STATUS, filmSeconds).values()]).toEqual(starts);
  });
});
