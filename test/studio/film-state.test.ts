import { stateOf } from '../../studio/pages/film/production';

describe('the state of a film in one word', () => {
  it.each([
    ['assembling', 'completed', 'skipped'],
    // A revision arrived during the assembly.
    ['running', 'completed', 'rendering'],
  ])('is %s while the film is assembled, with shots that are %s and %s', (expected, ...states) => {
    const shots = states.map((state) => ({ id: state, state, review: null, parked: null }));
    const film = {
      status: { state: 'running', assembly: 'running', shots },
      shots: shots.map((status) => ({ status })),
    };
    expect(stateOf(film as unknown as Parameters<typeof stateOf>[0])).toBe(expected);
  });
});
