import { createHash } from 'node:crypto';
import { contactSheet, type Sheet, type SheetShot } from '../../../client/contact-sheet';
import { sheetOf } from '../../../client/contact-sheet/gather';
import { type AssetRef } from '../../../contracts/asset';
import { type ProductionStatus } from '../../../contracts/status';
import { type TakeHistory } from '../../../store';
import { intent, settled } from '../../support/ledger-fixtures';
import { betaShot, film, linkedShot } from '../../support/rig';
import { DAWN, FIRST_TAKE, OUTPUT, SHEET } from './sheet-fixtures';

describe('the contact sheet', () => {
  it('names the shots that were rendered by the fallback', () => {
    expect(contactSheet({ ...SHEET, byFallback: ['day'] })).toContain('<li>rendered by the fallback: day</li>');
    expect(contactSheet(SHEET)).not.toContain('fallback');
  });

  it('plays the film and each shot, with its frames, prompt, model, seconds and credits', () => {
    const page = contactSheet(SHEET);
    expect(page).toContain('src="film.mp4"');
    expect(page).toContain('href="film.mp4#t=3.98"');
    expect(page).toContain('src="takes/dawn-take-1.mp4"');
    expect(page).toContain('poster="frames/dawn-take-1-first.png"');
    expect(page).toContain('src="frames/dawn-take-1-last.png"');
    expect(page).toMatch(/continues from<\/dt>\s*<dd><a href="#shot-dawn">dawn<\/a>/);
    for (const words of [
      'The sun comes up.',
      'It is early.',
      'beta-video',
      '4.0 s',
      '8.1 MB',
      '40 credits',
      'task-1',
    ]) {
      expect(page).toContain(words);
    }
  });

  it('shows the two frames of a link side by side, and how far the chain has drifted', () => {
    const drift = {
      first: 'dawn',
      brightnessPercent: -6,
      contrastPercent: 47.8,
      colorDistance: 3,
      warning: true,
      anchorHelps: true,
    };
    const joint = {
      from: 'dawn',
      frames: ['frames/dawn-take-1-last.png', 'frames/day-take-1-first.png'],
      drift,
    } as const;
    const page = contactSheet({ ...SHEET, shots: [DAWN, { ...DAWN, id: 'day', joint }] });
    expect(page).toMatch(/src="frames\/dawn-take-1-last.png"[^]*src="frames\/day-take-1-first.png"/);
    expect(page).toMatch(/class="drift past"[^]*drift from dawn[^]*-6 %[^]*\+48 %/);
    expect(page.match(/<svg/g)).toHaveLength(3);
    const unseen = { ...joint, drift: { ...drift, contrastPercent: 3, warning: false } };
    expect(contactSheet({ ...SHEET, shots: [{ ...DAWN, joint: unseen }] })).not.toContain('drift past');
    expect(contactSheet({ ...SHEET, shots: [{ ...DAWN, joint: { ...joint, drift: null } }] })).not.toContain('<svg');
  });

  function sheetOfShot(changes: object, takes: readonly TakeHistory[] = []): Sheet {
    const own = { id: 'dawn', model: 'beta-2.5', reason: null, parked: null, filmTake: null, takes: [] };
    return sheetOf({
      production: film('film', [betaShot('dawn')]),
      status: {
        title: 'A film',
        reason: null,
        film: null,
        shots: [{ ...own, ...changes }],
      } as unknown as ProductionStatus,
      takes: new Map([['dawn', takes]]),
      storedHashes: new Set(),
      manifest: { credits: { charged: 0, unclearSubmits: 0 }, shots: [] },
    });
  }

  it('shows times in the zone of the machine, in whole seconds', () => {
    const at = '2026-03-01T08:00:00.123Z';
    const { shots } = sheetOfShot({
      state: 'parked',
      reason: `gone since ${at}`,
      parked: { for: 'credits', since: at },
    });
    const local = /since 2026-0[23]-\d\d \d\d:\d\d:00 [A-Z]/;
    expect(shots).toMatchObject([
      { reason: expect.stringMatching(local), waits: { words: expect.stringMatching(local) } },
    ]);
  });

  it('counts shots, not the stills inside them', () => {
    const still: SheetShot = { ...DAWN, id: 'dawn.startFrame', makes: 'image' };
    expect(contactSheet({ ...SHEET, shots: [still, DAWN] })).toContain('<li>1 shot and 1 still</li>');
  });

  it('describes the chosen take, even while it waits for an approval', () => {
    const takes = [1, 2, 3].map((take): TakeHistory => {
      return { take, intent: intent({ parameters: { prompt: `prompt ${take}` } }), sendings: [], decisions: [] };
    });
    const sheet = sheetOfShot({ state: 'review', filmTake: 2 }, takes);
    expect(sheet.shots).toMatchObject([
      { chosen: 2, prompt: 'prompt 2', takes: [{ take: 2 }, { take: 3 }, { take: 1 }] },
    ]);
  });

  it('shows at a link only the frames and pictures that the store has', () => {
    const asset = (letter: string, mediaType: string): AssetRef => {
      return { sha256: letter.repeat(64), sizeBytes: 5, mediaType, durationSeconds: null, width: 1, height: 1 };
    };
    const clipTake = (letter: string): TakeHistory => ({
      ...{ take: 1, intent: intent(), sendings: [], decisions: [], settled: settled('completed') },
      output: {
        ...{ taskId: 'task-1', asset: asset(letter, 'video/mp4'), warnings: [] },
        ...{ firstFrame: asset('e', 'image/png'), lastFrame: { asset: asset('f', 'image/png'), source: 'clip' } },
      },
    });
    const still = clipTake('c');
    const takes = new Map([
      ['still', [{ ...still, output: { ...still.output!, asset: asset('d', 'image/png') } }]],
      ['one', [clipTake('a')]],
      ['two', [clipTake('b')]],
    ]);
    const whole = { kind: 'link', shot: 'still', frame: 'whole' } as const;
    const two = linkedShot('two', 'one');
    const production = film('film', [
      betaShot('still'),
      betaShot('one'),
      { ...two, files: { ...two.files, reference: whole } },
    ]);
    const shots = production.shots.map(({ id }) => ({
      ...{ id, state: 'completed', model: 'beta-2.5', reason: null, parked: null, filmTake: 1, takes: [] },
    }));
    const sheetWith = (...stored: readonly string[]) => {
      const sheet = sheetOf({
        ...{ production, takes, storedHashes: new Set(stored.map((letter) => letter.repeat(64))) },
        status: { title: 'A film', reason: null, film: null, shots } as unknown as ProductionStatus,
        manifest: { credits: { charged: 0, unclearSubmits: 0 }, shots: [] },
      });
      const { joint, links } = sheet.shots[2]!;
      return { frames: joint?.frames, pictures: links.map(({ picture }) => picture) };
    };
    expect(sheetWith('d', 'e', 'f')).toEqual({
      frames: ['frames/one-take-1-last.png', 'frames/two-take-1-first.png'],
      pictures: [null, 'takes/still-take-1.png'],
    });
    expect(sheetWith('e')).toEqual({ frames: [null, 'frames/two-take-1-first.png'], pictures: [null, null] });
  });

  it('shows stills to choose from as pictures', () => {
    const takes = [1, 2].map((take) => {
      const file = `takes/dawn-take-${take}.png`;
      return {
        ...FIRST_TAKE,
        take,
        output: { ...OUTPUT, file, mediaType: 'image/png', firstFrame: null, lastFrame: null },
      };
    });
    const page = contactSheet({ ...SHEET, shots: [{ ...DAWN, takes }] });
    for (const take of [1, 2]) {
      expect(page).toMatch(
        new RegExp(`<div class="takes">[^]*<img src="takes/dawn-take-${take}\\.png" alt="Take ${take}"`),
      );
    }
  });

  it('shows a still beside the shot that uses it, without its own number', () => {
    const picture = 'takes/dawn.startFrame-take-2.png';
    const still: SheetShot = {
      ...DAWN,
      id: 'dawn.startFrame',
      startSeconds: null,
      takes: [
        {
          take: 2,
          model: 'beta-video',
          prompt: 'The sun comes up.',
          taskId: 'task-2',
          credits: 3,
          pruned: false,
          output: { ...OUTPUT, file: picture, mediaType: 'image/png', firstFrame: null, lastFrame: null },
        },
      ],
    };
    const link = { parameter: 'startFrame', frame: 'whole', shot: 'dawn.startFrame', picture } as const;
    const page = contactSheet({ ...SHEET, shots: [still, { ...DAWN, links: [link] }] });
    expect(page.match(/class="number"/g)).toHaveLength(1);
    expect(page).toMatch(/<span class="number">01<\/span>\s*<h2>dawn<\/h2>/);
    expect(page).toMatch(/<div class="stills">[^]*src="takes\/dawn\.startFrame-take-2\.png"/);
    expect(page).toMatch(/<dt>startFrame<\/dt>\s*<dd><a href="#shot-dawn\.startFrame">/);
    // The poster is from the film's first clip, not from a still that is not in the film.
    expect(page).toMatch(/id="film"[^>]*poster="frames\/dawn-take-1-first\.png"/);
  });

  it('loads nothing from elsewhere', () => {
    expect(contactSheet(SHEET)).not.toMatch(/(?:src|href|poster)="(?:[a-z]+:|\/)/i);
    expect(contactSheet(SHEET)).not.toMatch(/@import|url\(/);
  });

  it('shows what is missing, and why', () => {
    const lost: SheetShot = {
      ...DAWN,
      state: 'failed',
      reason: 'the gateway gave no reason',
      startSeconds: null,
      takes: [],
    };
    const page = contactSheet({
      ...SHEET,
      state: 'incomplete',
      reason: 'not rendered: dawn',
      film: null,
      shots: [lost],
    });
    expect(page).toContain('not rendered: dawn');
    expect(page).toContain('the gateway gave no reason');
    expect(page).not.toContain('<video');
  });

  it('shows the newest take and links the earlier ones', () => {
    const newest = { ...FIRST_TAKE, take: 2, taskId: 'task-2', output: { ...OUTPUT, file: 'takes/dawn-take-2.mp4' } };
    const takes = [newest, FIRST_TAKE];
    const page = contactSheet({ ...SHEET, shots: [{ ...DAWN, takes }] });
    expect(page).toContain('src="takes/dawn-take-2.mp4"');
    expect(page).toContain('href="takes/dawn-take-1.mp4"');
  });

  it('shows the request of each take', () => {
    const takes = [
      DAWN.takes[0]!,
      { ...DAWN.takes[0]!, take: 2, model: 'alpha-video', prompt: 'The sun goes down.' },
      { ...DAWN.takes[0]!, take: 3 },
    ];
    const page = contactSheet({ ...SHEET, shots: [{ ...DAWN, takes }] });
    expect(page).toMatch(/take 2, 20 credits\s*<br \/>alpha-video\s*<br \/>The sun goes down\.\s*<\/figcaption>/);
    expect(page).toMatch(/take 3, 20 credits\s*<\/figcaption>/);
    expect(page.match(/The sun comes up\./g)).toHaveLength(1);
  });

  it('lets no text become markup', () => {
    const nasty = `"><script>alert('x')</script>&`;
    const shot: SheetShot = {
      ...DAWN,
      prompt: nasty,
      caption: nasty,
      reason: nasty,
      model: nasty,
      takes: [
        {
          take: 1,
          model: nasty,
          prompt: nasty,
          taskId: nasty,
          credits: 1,
          pruned: false,
          output: { ...OUTPUT, file: `takes/${nasty}.mp4`, warnings: [nasty] },
        },
      ],
    };
    const page = contactSheet({
      ...SHEET,
      title: nasty,
      film: null,
      reason: nasty,
      state: 'incomplete',
      shots: [shot],
    });
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain(nasty);
    expect(page.match(/<script>/g)).toHaveLength(1);
  });

  it('allows only its own script and style', () => {
    const page = contactSheet(SHEET);
    for (const name of ['script', 'style']) {
      const [, text = ''] = new RegExp(`<${name}>([^]*?)</${name}>`).exec(page) ?? [];
      expect(text.length).toBeGreaterThan(100);
      expect(page).toContain(`sha256-${createHash('sha256').update(text).digest('base64')}`);
    }
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<style>'));
    expect(page).not.toMatch(/script-src[^;]*unsafe/);
  });
});
