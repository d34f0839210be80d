import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillProduction } from '../../activities/run/fill-production';
import { loadTemplate } from '../../client/production-file';
import { freezeAsWritten } from '../../client/freeze/freeze-production';
import { longestValues, runValues } from '../../contracts/file/run-values';
import { openStore } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';

const POLICY = { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } as const;
const LONGEST = longestValues('night', 'night-hand-20260930T222222Z');
const MOMENT = { schedule: 'night', production: 'night-20261122T010000Z', scheduledAt: '2026-11-22T01:00:00.000Z' };

const FILE = (shot: string, top = ''): string =>
  `${top}\nshots:\n  - { id: a, model: beta-video, duration: 4, ${shot} }\n`;

describe('the variables of a run', () => {
  it('have date and time of the schedule’s own zone', () => {
    const values = runValues({ ...MOMENT, timezone: 'America/New_York', runNumber: 7 });
    expect(values).toEqual({
      date: '2026-11-21',
      time: '20:00',
      year: '2026',
      month: '11',
      day: '21',
      weekday: 'Saturday',
      scheduledAt: '2026-11-22T01:00:00Z',
      runNumber: '7',
      schedule: 'night',
      production: 'night-20261122T010000Z',
    });
    expect(runValues({ ...MOMENT, scheduledAt: '2026-11-22T00:00:00Z', timezone: 'UTC', runNumber: 1 }).time).toBe(
      '00:00',
    );
  });

  it.each([
    ['no variable', FILE('prompt: "on {{dates}}"'), 3, '"{{dates}}" is no variable of a run; allowed are date, time'],
    ['a near name', FILE('prompt: "no. {{runnumber}}"'), 3, 'Did you mean "runNumber"?'],
    ['an empty one', FILE('prompt: "no. {{ }}"'), 3, '"{{}}" is no variable of a run'],
    ['a path', FILE('prompt: x, startFrame: "frames/{{date}}.png"'), 3, 'because this value is read when'],
    ['a file among others', FILE('prompt: x, imageUrls: ["{{date}}.png"]'), 3, 'because this value is read when'],
    ['a transition', FILE('prompt: x, transition: "{{date}}"'), 3, 'because this value is read when'],
    ['a model', FILE('prompt: x').replace('beta-video', '"{{schedule}}"'), 3, 'because this value is read when'],
    ['an id', FILE('prompt: x', 'id: "film-{{day}}"'), 1, 'because this value is read when'],
    ['the film’s file', FILE('prompt: x', 'output: { file: "{{date}}.mp4" }'), 1, 'because this value is read when'],
    ['a shot of a link', FILE('prompt: x, startFrame: { lastFrameOf: "{{day}}" }'), 3, 'because this value is read'],
    [
      'a text that grows too long',
      FILE(`prompt: "${'x'.repeat(4_975)} {{production}}"`).replace(
        'beta-video, duration: 4',
        'alpha-video, duration: 5',
      ),
      3,
      'at most 5000',
    ],
  ])('are refused at their line: %s', async (_what, text, line, message) => {
    const loaded = await load(text);
    if (loaded.ok) throw new Error('it was taken');
    expect(loaded.issues).toHaveLength(1);
    expect(loaded.issues[0]).toMatchObject({ line });
    expect(loaded.issues[0]?.message).toContain(message);
  });

  it('are filled in wherever they are allowed, and nothing else changes', async () => {
    const loaded = await load(
      FILE(
        'prompt: "on {{ date }}, {{weekday}}", caption: [{ text: "no. {{runNumber}}", from: 0, to: 2 }], startFrame: "https://shop.example/{{date}}.png", endFrame: { still: { model: pixel, prompt: "at {{time}}" } }',
        'title: "News of {{date}}"\nmodels: { pixel: { output: image } }\nassembly: { title: "{{schedule}}" }',
      ),
    );
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
    const store = await openStore(join(await temporaryFolder(), 'store'));
    const { frozen } = await freezeAsWritten(loaded.production, store);
    const filled = fillProduction(frozen, MOMENT.production, runValues({ ...MOMENT, timezone: 'UTC', runNumber: 7 }));
    expect(JSON.stringify(filled)).not.toContain('{{');
    expect(filled).toMatchObject({
      id: MOMENT.production,
      title: 'News of 2026-11-22',
      assembly: { title: { text: 'night' } },
    });
    expect(filled.shots).toMatchObject([
      { id: 'a.endFrame', parameters: { prompt: 'at 01:00' } },
      {
        id: 'a',
        parameters: { prompt: 'on 2026-11-22, Sunday', duration: 4 },
        caption: [{ text: 'no. 7', from: 0, to: 2 }],
        files: { startFrame: { kind: 'address', url: 'https://shop.example/2026-11-22.png' } },
      },
    ]);
  });
});

async function load(text: string): ReturnType<typeof loadTemplate> {
  const file = join(await temporaryFolder(), 'film.yaml');
  await writeFile(file, text);
  return loadTemplate(file, POLICY, LONGEST);
}
