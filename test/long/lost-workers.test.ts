import { betaShot, film } from '../support/rig';
import { startStrikes, type Strikes } from '../crash/strikes';

/** More workers than any bound on attempts that work on stored bytes ever had. */
const LOST = 6;

/** Each loss is noticed by missing heartbeats, and followed by a longer wait. */
jest.setTimeout(600_000);

describe('the assembly of a film', () => {
  let strikes: Strikes;

  beforeAll(async () => {
    strikes = await startStrikes();
  });

  afterAll(() => strikes.close());

  it('survives any number of killed workers, and pays for nothing again', async () => {
    const production = film('often', [betaShot('a'), betaShot('b')]);
    await strikes.struckAt('assembly-half', production);
    for (let lost = 1; lost < LOST; lost += 1) {
      const next = await strikes.another();
      next.arm({ point: 'assembly-half', count: 1, action: 'kill' });
      expect(await next.ended).toBe('SIGKILL');
    }
    await strikes.another();
    await strikes.completed(production);
    expect(await strikes.accepted(production)).toHaveLength(2);
  });
});
