import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies } from './command';

/** A black dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

const FILM = `
defaults: { resolution: 480p }
models: { pixel-image-1: { workflow: pixel/v1/image, output: image } }
shots:
  - { id: dawn, model: beta-video, prompt: Dawn., startFrame: start.png }
  - { id: noon, model: alpha-video, prompt: Noon., startFrame: { lastFrameOf: dawn } }
  - { id: poster, model: pixel-image-1, prompt: A poster. }
`;

interface Planned {
  readonly shot: string;
  readonly method: string;
  readonly path: string;
  readonly body: { readonly params: Record<string, unknown> & { params?: Record<string, unknown> } };
}

describe('dailies render --dry-run', () => {
  let server: Server;
  let asked = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      asked += 1;
      response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  afterAll(() => {
    server.close();
  });

  it('shows each request as it would be sent, and sends and stores nothing', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    writeFileSync(join(folder, 'start.png'), PNG);
    const { port } = server.address() as AddressInfo;
    const env = {
      DAILIES_GATEWAY_URL: `http://127.0.0.1:${port}`,
      DAILIES_GATEWAY_KEY: 'a-key-that-must-not-be-shown',
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    };
    const ended = await dailies(['render', 'film.yaml', '--dry-run', '--json'], { folder, env });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    const { requests } = JSON.parse(ended.stdout) as { requests: Planned[] };
    const [dawn, noon, poster] = requests as [Planned, Planned, Planned];

    expect(dawn).toMatchObject({ shot: 'dawn', method: 'POST', path: '/workflows/v1/models/submit' });
    expect(dawn.body.params).toMatchObject({
      model: 'beta-2.5',
      params: { prompt: 'Dawn.', resolution: '480p', returnLastFrame: true },
    });
    expect(dawn.body.params.params?.['startFrame']).toMatch(/^data:image\/png;base64,<start\.png, \d+ bytes/);
    expect(noon.body.params.params).toMatchObject({ resolution: '480P', startFrame: '<last frame of dawn>' });
    expect(poster.path).toBe('/workflows/pixel/v1/image/submit');
    expect(poster.body.params).toMatchObject({ model: 'pixel-image-1', prompt: 'A poster.' });

    expect(asked).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(['film.yaml', 'start.png']);
    const { stdout } = await dailies(['render', 'film.yaml', '--dry-run'], { folder, env });
    expect(stdout).toMatch(/^POST \/workflows\/v1\/models\/submit$/m);
    expect(stdout).not.toContain('a-key-that');
  });
});
