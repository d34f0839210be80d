describe('the folder of compiled modules', () => {
  const { DAILIES_CACHE, NODE_COMPILE_CACHE } = process.env;
  beforeEach(() => {
    delete process.env['DAILIES_CACHE'];
    delete process.env['NODE_COMPILE_CACHE'];
  });
  afterEach(() => {
    Object.assign(process.env, {
      ...(DAILIES_CACHE && { DAILIES_CACHE }),
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    });
    jest.dontMock('node:os').dontMock('node:module');
  });

  function load(homedir: () => string): readonly unknown[] {
    const enableCompileCache = jest.fn();
    jest.resetModules();
    jest.doMock('node:module', () => ({ enableCompileCache })).doMock('node:os', () => ({ homedir }));
    jest.requireActual('../../scripts/process/compile-cache');
    return enableCompileCache.mock.calls.flat();
  }

  it('belongs to the user alone', () => {
    expect(load(() => '/home/ada')).toEqual(['/home/ada/.cache/dailies/compiled']);
  });

  it('does not exist for a user without a home, as in a container', () => {
    const missing = (): never => {
      throw new Error('uv_os_homedir returned ENOENT');
    };
    expect(load(missing)).toEqual([]);
  });
});
