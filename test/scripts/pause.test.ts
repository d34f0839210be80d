import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox';
import { killSet } from '../support/running-parts';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, type Ended, type Place } from './command';

/** A chain, so that one shot after the other is bought. */
const FILM = `
title: Three hours
defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit }
shots:
  - { id: one, prompt: The first hour. }
  - { id: two, prompt: The second hour., startFrame: { lastFrameOf: one } }
  - { id: three, prompt: The third hour., startFrame: { lastFrameOf: two } }
`;

/** Longer than a command takes to show that a shot renders. */
const RENDER_SECONDS = 6;

const REVIEWED = `
defaults: { model: beta-video, duration: 4, resolution: 480p }
shots: [{ id: one, prompt: The first hour., review: true }]
`;

describe('a paused production', () => {
  let folder: string;
  let gateway: Sandbox;
  let place: Place;
  beforeEach(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    gateway = await startSandbox({ folder: join(folder, 'gateway'), renderSeconds: RENDER_SECONDS, ...PLAIN });
    const env = { DAILIES_GATEWAY_URL: gateway.url, DAILIES_GATEWAY_KEY: 'any', DAILIES_POLL_FLOOR_MS: '250' };
    place = { folder, env };
  });
  afterEach(async () => {
    killSet(folder);
    await gateway.close();
  });
  const run = (...args: readonly string[]): Promise<Ended> => dailies(args, place);

  it('ends when it is cancelled while it waits for a person, and cannot be resumed then', async () => {
    writeFileSync(join(folder, 'seen.yaml'), REVIEWED);
    expect((await run('render', 'seen.yaml')).exitCode).toBe(3);
    expect((await run('pause', 'seen')).exitCode).toBe(0);
    const cancelled = await run('cancel', 'seen', '--json');
    expect(cancelled.stderr).not.toContain('still being cancelled');
    expect(cancelled.exitCode).toBe(0);
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ state: 'cancelled', collected: [{ shot: 'one', take: 1 }] });
    const resumed = await run('resume', 'seen');
    expect(resumed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has ended (cancelled)') });
  });
});
