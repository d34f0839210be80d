import { planSet } from '../../workers/embedded/set-plan';

describe('the worker of an embedded set', () => {
  const arenas = (env: Record<string, string>): string | undefined =>
    planSet({ storeFolder: 'store', env, gatewayAccount: 'studio', temporalAddress: 'x:1', gatewayUrl: 'http://x' })
      .parts[0]?.env['MALLOC_ARENA_MAX'];

  it("has few arenas of glibc's malloc, or as many as the user sets", () => {
    expect(arenas({})).toBe('2');
    expect(arenas({ MALLOC_ARENA_MAX: '16' })).toBe('16');
  });
});
