interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly replace: string;
  readonly find: string;
  readonly tests: readonly string[];
}

// Plain JavaScript, as the command that runs them: it has no types.
const { MUTATIONS } = jest.requireActual<{ MUTATIONS: readonly Mutation[] }>('./mutations.cjs');
const { filesOf } = jest.requireActual<{ filesOf: (hint: string, tier: string) => readonly string[] }>(
  './test-runs.cjs',
);
const { mutated } = jest.requireActual<{ mutated: (mutation: Mutation) => string }>('./work-copy.cjs');

describe('the mutations of the guarantees', () => {
  it.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
    '%s can be applied, and names tests that exist',
    (_name, mutation) => {
      expect(mutated(mutation)).toContain(mutation.replace);
      for (const hint of mutation.tests) expect([hint, filesOf(hint, 'full')]).not.toEqual([hint, []]);
    },
  );

  it('refuses a text that is not there exactly once', () => {
    const [{ file, find }] = MUTATIONS as [Mutation];
    const mutation = { ...MUTATIONS[0]!, file, find: `${find} // not there` };
    expect(() => mutated(mutation)).toThrow('0 times');
    expect(() => mutated({ ...mutation, find: 'const' })).toThrow(/\d+ times/);
  });

  it('have names of their own', () => {
    const names = MUTATIONS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});
