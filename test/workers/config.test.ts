import { ConfigError, readConfig } from '../../workers/config';

const KEY = { DAILIES_GATEWAY_KEY: 'a-key' };

describe('the account that pays', () => {
  it.each([
    ['is the sandbox where no gateway is configured, whatever account is named', { DAILIES_GATEWAY_ACCOUNT: 'studio' }],
    ['is the sandbox by default', {}],
  ])('%s', (_, env) => {
    expect(readConfig(env)).toMatchObject({ gateway: null, account: 'sandbox', pollFloorMs: 500 });
  });

  it("is the gateway's origin, or what it is named", () => {
    const env = { ...KEY, DAILIES_GATEWAY_URL: 'https://gateway.example.com/v2' };
    expect(readConfig(env)).toMatchObject({ account: 'https://gateway.example.com', pollFloorMs: 5_000 });
    expect(readConfig({ ...env, DAILIES_GATEWAY_ACCOUNT: 'studio' })).toMatchObject({
      account: 'studio',
      pollFloorMs: 5_000,
    });
  });

  it.each([
    'http://127.0.0.1:4010',
    'http://[::1]:4010',
    'http://localhost:4010',
    'http://sandbox:4010',
    'http://10.0.0.7',
  ])('may be the sandbox at %s', (url) => {
    const env = { ...KEY, DAILIES_GATEWAY_URL: url, DAILIES_GATEWAY_ACCOUNT: 'sandbox' };
    expect(readConfig(env)).toMatchObject({ account: 'sandbox', pollFloorMs: 500 });
  });

  it.each(['https://gateway.example.com', 'http://93.184.216.34', 'http://[2606:2800:220:1::1]'])(
    'may not be the sandbox at %s',
    (url) => {
      const env = { ...KEY, DAILIES_GATEWAY_URL: url, DAILIES_GATEWAY_ACCOUNT: 'sandbox' };
      expect(() => readConfig(env)).toThrow(ConfigError);
      expect(() => readConfig(env)).toThrow('DAILIES_GATEWAY_ACCOUNT');
    },
  );
});

describe('a variable that cannot be', () => {
  it('is told with what it must be, and what it is', () => {
    expect(() => readConfig({ DAILIES_DATA_URI_MAX_BYTES: '1.5' })).toThrow(
      new ConfigError('DAILIES_DATA_URI_MAX_BYTES must be a whole number of bytes, 1 or more; it is "1.5"'),
    );
  });

  it.each(['https://gateway.example.com/?', 'https://gateway.example.com/#', 'https://me:word@gateway.example.com'])(
    'is told where it is the address %s, which no client takes',
    (url) => {
      expect(() => readConfig({ ...KEY, DAILIES_GATEWAY_URL: url })).toThrow('DAILIES_GATEWAY_URL must be');
    },
  );

  it('is told without its value where a key may stand in it', () => {
    const key = 'sk-a-key-in-the-wrong-place';
    for (const name of ['DAILIES_GATEWAY_URL', 'DAILIES_NOTIFY_SECRET']) {
      expect(() => readConfig({ ...KEY, [name]: key })).toThrow(name);
      expect(() => readConfig({ ...KEY, [name]: key })).not.toThrow(key);
    }
  });
});

describe('statuses that mean "not accepted"', () => {
  it('are read as a list', () => {
    expect(readConfig({ DAILIES_NOT_ACCEPTED_STATUSES: '500, 502' }).notAcceptedStatuses).toEqual([500, 502]);
  });

  it.each(['200', '500,302', '600', '5xx', '500;502'])('are not %s', (list) => {
    expect(() => readConfig({ DAILIES_NOT_ACCEPTED_STATUSES: list })).toThrow('statuses from 400 to 599');
  });
});

describe('the version of a worker', () => {
  it('is none by default, so that every worker takes all work', () => {
    expect(readConfig({}).deployment).toBeNull();
  });

  it('upgrades what runs, unless it is pinned by choice', () => {
    const env = { DAILIES_DEPLOYMENT: 'studio' };
    expect(readConfig(env).deployment).toEqual({ name: 'studio', versioning: 'auto-upgrade' });
    expect(readConfig({ ...env, DAILIES_BUILD_ID: '1.4.0', DAILIES_VERSIONING: 'pinned' }).deployment).toEqual({
      name: 'studio',
      buildId: '1.4.0',
      versioning: 'pinned',
    });
  });

  it.each(['DAILIES_BUILD_ID', 'DAILIES_VERSIONING'])('is not described by %s alone', (name) => {
    expect(() => readConfig({ [name]: 'pinned' })).toThrow(`${name} is set and DAILIES_DEPLOYMENT is not`);
  });

  // Temporal writes a version as deployment.build.
  it.each(['a.b', '__system', 'a b', 'x'.repeat(65)])('belongs to no deployment named %s', (name) => {
    expect(() => readConfig({ DAILIES_DEPLOYMENT: name })).toThrow('DAILIES_DEPLOYMENT must be letters');
  });
});
