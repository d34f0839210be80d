import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { cloneRig, finish } from './clone-rig';

/** Stands in for the compiler. */
const COMPILER = "console.log('as told'); process.exit(Number(process.env.COMPILER_CODE));";

describe("the set-up of the peers' benchmark", () => {
  let clone: ReturnType<typeof cloneRig>;
  beforeEach(() => {
    clone = cloneRig();
    clone.write('clone/node_modules/typescript/bin/tsc', COMPILER);
    clone.write('clone/bench/peers/package.json', '{ "name": "peers", "dependencies": { "a-queue": "1.0.0" } }');
    clone.write(
      'clone/bench/peers/package-lock.json',
      JSON.stringify({
        name: 'peers',
        lockfileVersion: 3,
        packages: {
          '': { name: 'peers', dependencies: { 'a-queue': '1.0.0' } },
          'node_modules/a-queue': {
            version: '1.0.0',
            // npm asks the registry that it is told of in place of this one.
            resolved: 'https://registry.npmjs.org/a-queue/-/a-queue-1.0.0.tgz',
            integrity: 'sha512-AAAA',
          },
        },
      }),
    );
    copyFileSync(join(__dirname, '../../bench/peers/setup.cjs'), join(clone.root, 'bench/peers/setup.cjs'));
  });
  afterEach(() => {
    clone.dispose();
  });

  const setUp = (env: Record<string, string>) =>
    finish(
      spawn(process.execPath, [join(clone.root, 'bench/peers/setup.cjs')], {
        env: { ...clone.env, COMPILER_CODE: '0', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  const haveInstalled = () => {
    clone.write('clone/bench/peers/node_modules/a-queue/package.json', '{}');
    clone.write(
      'clone/bench/peers/node_modules/.package-lock.json',
      JSON.stringify({ packages: { 'node_modules/a-queue': { integrity: 'sha512-AAAA' } } }),
    );
  };

  it('compiles what is installed', async () => {
    haveInstalled();
    expect((await setUp({})).code).toBe(0);
  });

  it('ends with 1 if it does not compile, and shows why', async () => {
    haveInstalled();
    const { code, output } = await setUp({ COMPILER_CODE: '2' });
    expect(code).toBe(1);
    expect(output).toContain('as told');
  });

  it('ends with 2 if there is no npm', async () => {
    const { code, output } = await setUp({ npm_execpath: '' });
    expect(code).toBe(2);
    expect(output).toMatch(/npm does not run[^]*cannot be had: it needs npm, and a registry that answers/);
  });

  it('ends with 2 if the registry refuses, or is silent', async () => {
    expect((await setUp({})).code).toBe(2);
    const { code, output } = await withRegistry(createServer(), (npm_config_registry) =>
      setUp({ npm_config_registry, npm_config_fetch_timeout: '500' }),
    );
    expect(code).toBe(2);
    expect(output).toContain('cannot be had: it needs npm, and a registry that answers');
  });

  it.each([401, 404, 503])('ends with 2 if the registry answers %i', async (status) => {
    const registry = createHttpServer((_request, response) => response.writeHead(status).end());
    const { code, output } = await withRegistry(registry, (npm_config_registry) => setUp({ npm_config_registry }));
    expect(code).toBe(2);
    expect(output).toContain(`npm error code E${status}`);
  });

  it("ends with 1 if a package is not the one in the lock file, and shows npm's message", async () => {
    const registry = createHttpServer((_request, response) => response.end('another package'));
    const { code, output } = await withRegistry(registry, (npm_config_registry) => setUp({ npm_config_registry }));
    expect(code).toBe(1);
    expect(output).toContain('npm error code EINTEGRITY');
    expect(output).not.toContain('cannot be had');
  });
});

/** @param use is given its address; it is closed afterwards. */
async function withRegistry<T>(registry: Server, use: (address: string) => Promise<T>): Promise<T> {
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  try {
    return await use(`http://127.0.0.1:${(registry.address() as AddressInfo).port}`);
  } finally {
    registry.close();
  }
}
