import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';

/** A disk of 4 MiB in memory, visible only to the process that mounts it; needs no rights if Linux allows it. */
const ON_SMALL_DISK = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const MOUNT = 'mount -t tmpfs -o size=4m tmpfs "$0"';
const canMount = spawnSync('unshare', [...ON_SMALL_DISK, MOUNT, '/mnt']).status === 0;

const CLIP = randomBytes(1024 * 1024);

interface Told {
  readonly whileFull: readonly string[];
  readonly keptBytes: number;
  readonly afterwards: string;
  readonly left: readonly string[];
}

describe('a full disk', () => {
  let server: ScriptedGateway;

  beforeAll(async () => {
    server = await startScriptedGateway(({ headers }, response) => {
      const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
      const range = { 'content-range': `bytes ${from}-${CLIP.length - 1}/${CLIP.length}` };
      response.writeHead(from > 0 ? 206 : 200, { etag: '"v1"', 'content-length': CLIP.length - from, ...range });
      response.end(CLIP.subarray(from));
    });
  });

  afterAll(() => server.close());

  (canMount ? it : it.skip)(
    'keeps what has come, says what is wrong, and goes on from there when it is cleared',
    async () => {
      const script = join(__dirname, 'full-disk.cjs');
      const command = `${MOUNT} && exec "$1" "$2" "$0" "$3"`;
      const paths = [await temporaryFolder(), process.execPath, script, `${server.url}/clip.mp4`];
      const { stdout } = await promisify(execFile)('unshare', [...ON_SMALL_DISK, command, ...paths]);
      const told = JSON.parse(stdout) as Told;
      expect(told.whileFull).toEqual(['StoreUnavailable', 'StoreUnavailable']);
      expect(told.keptBytes).toBeGreaterThan(0);
      expect(told.keptBytes).toBeLessThan(CLIP.length);
      expect(told.afterwards).toBe(createHash('sha256').update(CLIP).digest('hex'));
      expect(server.arrived.at(-1)?.headers.range).toBe(`bytes=${told.keptBytes}-`);
      expect(told.left).toEqual([]);
    },
  );
});
