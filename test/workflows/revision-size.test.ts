import { MOST_SHOTS, MOST_TAKES } from '../../contracts/render/plan';
import { objectionTo } from '../../workflows/progress/revision';
import { film, pictureShot, shotsBy } from '../support/rig';

describe('a revision of a running production', () => {
  const asset = {
    sha256: 'a'.repeat(64),
    sizeBytes: 1,
    mediaType: 'x',
    durationSeconds: null,
    width: null,
    height: null,
  };
  const basis = { plan: asset, written: asset, maxInFlight: null, unattended: false };

  function objection(shots: number, takes: number, earlierTakes = 0): string | undefined {
    const planned = film(
      'film',
      Array.from({ length: shots }, (_, n) => pictureShot(`s${n}`)),
    );
    const plan = { title: 'Film', maxInFlight: 16, assemble: false, shots: shotsBy({ takes }, planned) };
    const running = { productionId: 'film', production: asset, basis, hasBudget: false, earlierTakes };
    return objectionTo({ productionId: 'film', production: asset, plan, basis, again: [] }, running);
  }

  it('is accepted with as many shots and takes as a production may have', () => {
    expect(objection(MOST_SHOTS, MOST_TAKES / MOST_SHOTS)).toBeUndefined();
  });

  it.each([
    ['shots', MOST_SHOTS + 1, 1],
    ['takes', MOST_SHOTS, MOST_TAKES / MOST_SHOTS + 1],
  ])('is refused with more %s than that, and says how many it would have', (_, shots, takes) => {
    expect(objection(shots, takes)).toContain(`${shots} shots, with ${shots * takes} takes`);
  });

  it('is refused once its render has made too many takes, and says how to continue', () => {
    expect(objection(10, 1, 50_000)).toContain('render it again');
  });
});
