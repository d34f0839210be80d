import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contracts/manifest';
import { RenderPlan } from '../../contracts/render/render-plan';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, type Ended } from './command';

const FILM = `
title: Three posters
budget: { credits: 4 }
defaults: { model: pixel-image-1, retryFailed: 0 }
shots:
  - { id: one, prompt: A quay at dawn. }
  - { id: two, prompt: A quay at noon. }
  - { id: three, prompt: A quay at night. }
models: { pixel-image-1: { output: image } }
`;

describe('dailies budget', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
    writeFileSync(join(folder, 'prices.json'), JSON.stringify({ 'pixel-image-1': { perTask: 3 } }));
  });
  const run = (...args: readonly string[]): Promise<Ended> =>
    dailies(args, { folder, env: { DAILIES_PRICES: join(folder, 'prices.json') } });

  it('shows the budget, and raises it, so that the next render completes the waiting shots', async () => {
    const before = await run('plan', 'film.yaml', '--json');
    expect(RenderPlan.parse(JSON.parse(before.stdout)).budget).toEqual({ credits: 4, left: 4 });
    expect((await run('plan', 'film.yaml')).stdout).toContain('Of the budget of 4 credits, 4 are left: 5 too few.');

    const rendered = await run('render', 'film.yaml', '--json');
    expect(rendered.exitCode).toBe(3);
    expect(rendered.stderr).toContain('Of the budget of 4 credits, 4 are left: 5 too few.');
    const manifest = Manifest.parse(JSON.parse(rendered.stdout));
    const { shots, budget } = manifest;
    expect(shots.map(({ state }) => state).toSorted()).toEqual(['completed', 'parked', 'parked']);
    expect(shots.find(({ parked }) => parked !== null)?.parked).toMatchObject({
      for: 'budget',
      command: 'dailies budget film --credits M',
    });
    expect(budget).toMatchObject({ credits: 4, spent: 3, reserved: 0 });

    expect((await run('status', 'film')).stdout).toContain(
      'Budget: 4 credits; 3 spent, 0 reserved, 1 left.\nQuoted for the rest: 2 shots, 6 credits.',
    );
    const status = Manifest.parse(JSON.parse((await run('status', 'film', '--json')).stdout));
    expect(status.budget).toMatchObject({ spent: 3, rest: { tasks: 2, credits: 6 } });

    // render, status, list and their --json say the same, although nothing runs any more.
    const waiting = shots.filter(({ state }) => state === 'parked').map(({ id }) => id);
    const reason =
      `the rest waits for you; more budget lets ${waiting.join(', ')} go on: ` + '`dailies budget film --credits M`';
    const told = (of: Manifest): unknown => of.shots.map(({ id, state, parked }) => ({ id, state, for: parked?.for }));
    expect(manifest).toMatchObject({ state: 'running', reason });
    expect(status).toMatchObject({ state: 'running', reason });
    expect(told(status)).toEqual(told(manifest));
    const stopped = await run('status', 'film');
    expect(stopped.stdout).toContain(`Three posters: running (${reason}), 3 credits charged`);
    expect(stopped.stderr).toContain('dailies budget film --credits M');
    expect((await run('list')).stdout).toContain(`(${reason})`);
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([{ state: 'running', reason }]);
    expect((await run('budget', 'film')).stdout).toBe('Budget: 4 credits; 3 spent, 0 reserved, 1 left.\n');

    await run('budget', 'film', '--credits', '4.1');
    expect((await run('plan', 'film.yaml')).stdout).toContain(
      'Of the budget of 4.1 credits, 1.1 are left: 4.9 too few.',
    );
    await run('budget', 'film', '--credits', '1');
    expect((await run('plan', 'film.yaml')).stdout).toContain('Of the budget of 1 credit, 0 are left: 8 too few.');

    const raised = await run('budget', 'film', '--credits', '9');
    expect(raised.stderr).toMatch(/dailies render \S+film.yaml --id film/);
    expect((await run('budget', 'film')).stdout).toContain('Budget: 9 credits');
    const again = await run('render', 'film.yaml');
    expect(again.exitCode).toBe(0);
    expect(JSON.parse((await run('budget', 'film', '--json')).stdout)).toMatchObject({ credits: 9, spent: 9 });
  });
});
