import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGatewayClient, openDownload } from '../../gateway';
import { keyWarning, readConfig } from '../../workers/config/config';
import { ConfigError } from '../../workers/config/config-error';
import { workerDependencies } from '../../workers/dependencies';
import { temporaryFolder } from '../support/temporary-folder';

const KEY = { DAILIES_GATEWAY_KEY: 'a-key' };

/** A gateway at this address, which may be reached over plain http. */
const plainHttp = (url: string) => ({
  ...KEY,
  DAILIES_GATEWAY_URL: url,
  DAILIES_GATEWAY_HTTP_HOSTS: new URL(url).hostname,
});

describe('whether films can have text drawn into them', () => {
  it("is checked with this machine's ffmpeg only if the workers run here", async () => {
    expect(await readConfig({}).drawsText?.()).toBe(true);
    expect(readConfig({ ...KEY, TEMPORAL_ADDRESS: '127.0.0.1:7233' })).not.toHaveProperty('drawsText');
  });
});

describe('the account that pays', () => {
  it.each([
    ['is the sandbox where no gateway is configured, whatever account is named', { DAILIES_GATEWAY_ACCOUNT: 'studio' }],
    ['is the sandbox by default', {}],
  ])('%s', (_, env) => {
    expect(readConfig(env)).toMatchObject({
      ...{ gateway: null, account: 'sandbox', pollFloorMs: 500 },
      // The name confirms nothing: it is not used.
      accountIsNamed: false,
    });
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
    const env = { ...plainHttp(url), DAILIES_GATEWAY_ACCOUNT: 'sandbox' };
    expect(readConfig(env)).toMatchObject({ account: 'sandbox', pollFloorMs: 500 });
  });

  it.each(['https://gateway.example.com', 'http://93.184.216.34', 'http://[2606:2800:220:1::1]'])(
    'may not be the sandbox at %s',
    (url) => {
      const env = { ...plainHttp(url), DAILIES_GATEWAY_ACCOUNT: 'sandbox' };
      expect(() => readConfig(env)).toThrow(ConfigError);
      expect(() => readConfig(env)).toThrow('DAILIES_GATEWAY_ACCOUNT');
    },
  );
});

describe('an invalid variable', () => {
  it('is reported with its allowed and its actual value', () => {
    expect(() => readConfig({ DAILIES_DATA_URI_MAX_BYTES: '1.5' })).toThrow(
      new ConfigError('DAILIES_DATA_URI_MAX_BYTES must be a whole number of bytes, 1 or more; it is "1.5"'),
    );
  });

  it.each(['https://gateway.example.com/?', 'https://gateway.example.com/#', 'https://me:word@gateway.example.com'])(
    'is reported if it is the address %s, which no client accepts',
    (url) => {
      expect(() => readConfig({ ...KEY, DAILIES_GATEWAY_URL: url })).toThrow('DAILIES_GATEWAY_URL must be');
    },
  );

  it('is reported without its value if that may contain a key', () => {
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

  it('upgrades running workflows, unless it is pinned', () => {
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

describe('a gateway over plain http', () => {
  const env = (url: string, hosts = '') => ({ ...KEY, DAILIES_GATEWAY_URL: url, DAILIES_GATEWAY_HTTP_HOSTS: hosts });

  it.each([
    'http://127.0.0.1:4010',
    'http://127.8.9.1',
    'http://[::1]:4010',
    'http://[::ffff:127.0.0.1]',
    'http://localhost:4010/v2',
    'http://api.localhost',
    'http://0.0.0.0:4010',
    'https://gateway.example.com',
  ])('is accepted at %s, where nobody else can read the key', (url) => {
    expect(readConfig(env(url)).gateway?.url).toBe(url);
    expect(() => createGatewayClient({ baseUrl: url, apiKey: 'a-key' })).not.toThrow();
  });

  it.each([
    'http://gateway.example.com/v2',
    'http://10.0.0.7:4010',
    'http://sandbox:4010',
    'http://localhost.example.com',
    'http://[fd00::1]',
  ])('is refused at %s, unless that host is listed', (url) => {
    const { hostname, host } = new URL(url);
    for (const hosts of ['', 'other.example.com', `${hostname}:1`]) {
      expect(() => readConfig(env(url, hosts))).toThrow(`DAILIES_GATEWAY_HTTP_HOSTS=${host}`);
    }
    expect(() => createGatewayClient({ baseUrl: url, apiKey: 'a-key' })).toThrow(TypeError);
    for (const hosts of [hostname, `a, ${host}`]) {
      const { gateway } = readConfig(env(url, hosts));
      if (gateway === null) throw new Error('expected a gateway');
      expect(() => createGatewayClient({ ...gateway, baseUrl: url, apiKey: 'a-key' })).not.toThrow();
    }
  });

  it('opens only its own port to downloads', async () => {
    const policyFor = async (url: string) => {
      const { gateway, downloadPolicy } = workerDependencies(readConfig(plainHttp(url)));
      await gateway.close();
      return downloadPolicy;
    };
    for (const [gateway, other] of [
      ['http://127.0.0.1', 'http://127.0.0.1:9'],
      ['https://127.0.0.1/v2', 'http://127.0.0.1:9/clip.mp4'],
      ['http://127.0.0.1:4010', 'http://127.0.0.1:9'],
    ] as const) {
      const policy = await policyFor(gateway);
      await expect(openDownload({ url: other }, { policy })).rejects.toMatchObject({ kind: 'refused-address' });
    }
    // Nothing listens at port 9 of this machine: the address is allowed, and tried.
    const policy = await policyFor('http://127.0.0.1:9/v2');
    await expect(openDownload({ url: 'http://127.0.0.1:9/a' }, { policy })).rejects.toMatchObject({ kind: 'network' });
  });
});

describe('a file with the key', () => {
  const KEY_TEXT = 'sk-a-key-of-some-length';
  let path: string;

  beforeEach(async () => {
    path = join(await temporaryFolder(), 'key');
    await writeFile(path, `${KEY_TEXT}\n`);
  });

  const read = () => readConfig({ DAILIES_GATEWAY_URL: 'https://gateway.example.com', DAILIES_GATEWAY_KEY_FILE: path });

  it.each([0o600, 0o400])('is read if only its owner may read it (%o)', async (mode) => {
    await chmod(path, mode);
    expect(read().gateway?.key.reveal()).toBe(KEY_TEXT);
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o602])('is refused if others have access (%o)', async (mode) => {
    await chmod(path, mode);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`chmod 600 ${path}`);
  });
});

it("a key that is short enough to be a word is warned of, unless it is the sandbox's", () => {
  const url = { DAILIES_GATEWAY_URL: 'https://gateway.example.com' };
  const warningFor = (key: string, more = {}) => keyWarning(readConfig({ ...url, DAILIES_GATEWAY_KEY: key, ...more }));
  expect(warningFor('k'.repeat(15))).toContain('16 characters');
  expect(warningFor('k'.repeat(16))).toBeUndefined();
  const sandbox = { DAILIES_GATEWAY_URL: 'http://127.0.0.1:4010', DAILIES_GATEWAY_ACCOUNT: 'sandbox' };
  expect(warningFor('sandbox', sandbox)).toBeUndefined();
  expect(keyWarning(readConfig({}))).toBeUndefined();
});
