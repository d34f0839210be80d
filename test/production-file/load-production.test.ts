import { dirname, join } from 'node:path';
import { frameLinks } from '../../contracts/file/frame-links';
import { formatIssues, loadProduction } from '../../client/production-file';
import { fileWith, policy, production } from './production-fixtures';

describe('a production file', () => {
  it('spells a resolution as each model wants it, in whatever case it is written', async () => {
    const { shots } = await production(`
      shots:
        - { id: a, model: alpha-video, resolution: 720p }
        - { id: b, model: beta-video, prompt: Sea, resolution: 1080P }
        - { id: c, model: alpha-video, resolution: 480P }
    `);
    expect(shots.map(({ parameters }) => parameters['resolution'])).toEqual(['720P', '1080p', '480P']);
  });

  it("spells a resolution as the person's own schema lists it", async () => {
    const schema = JSON.stringify({ type: 'object', properties: { resolution: { enum: ['720P', '4K'] } } });
    const { shots } = await production(
      `
      defaults: { resolution: 720p }
      models: { zoom-9: { schema: zoom.json } }
      shots: [{ id: a, model: zoom-9 }]
    `,
      { 'zoom.json': schema },
    );
    expect(shots[0]?.parameters).toEqual({ resolution: '720P' });
  });

  it('names a model by id, by title or by workflow, and keeps the id', async () => {
    const { shots } = await production(`
      shots:
        - { id: a, model: alpha-3.0-video }
        - { id: b, model: alpha-video }
        - { id: c, model: alpha/v3/video }
        - { id: d, model: beta, prompt: Sea }
    `);
    expect(shots.map(({ model }) => model.id)).toEqual([
      'alpha-3.0-video',
      'alpha-3.0-video',
      'alpha-3.0-video',
      'beta-2.5',
    ]);
  });

  it('applies a default to shots whose model has the parameter, and that do not set it', async () => {
    const { shots } = await production(`
      defaults: { model: beta-video, colorDepth: 8bit, generateAudio: false, deadline: 60 }
      shots:
        - { id: a, prompt: Sea }
        - { id: b, prompt: Sea, generateAudio: true, deadline: 90 }
        - { id: c, model: alpha-video, prompt: Sea }
        - { id: d, model: other-model, prompt: Sea }
    `);
    expect(shots.map(({ parameters, deadlineSeconds }) => ({ ...parameters, deadlineSeconds }))).toEqual([
      { prompt: 'Sea', colorDepth: '8bit', generateAudio: false, deadlineSeconds: 60 },
      { prompt: 'Sea', colorDepth: '8bit', generateAudio: true, deadlineSeconds: 90 },
      { prompt: 'Sea', generateAudio: false, deadlineSeconds: 60 },
      { prompt: 'Sea', deadlineSeconds: 60 },
    ]);
  });

  it("sends nothing that the person did not ask for, not even the gateway's defaults", async () => {
    const { shots } = await production('shots: [{ id: a, model: alpha-video }]');
    expect(shots[0]).toMatchObject({ parameters: {}, files: {} });
  });

  it('waits a minute for each second of clip, and at least a quarter of an hour', async () => {
    const { shots } = await production(`
      shots:
        - { id: a, model: alpha-video }
        - { id: b, model: beta-video, prompt: Sea, duration: 20 }
        - { id: c, model: alpha-video, duration: -1 }
    `);
    expect(shots.map(({ deadlineSeconds }) => deadlineSeconds)).toEqual([900, 1200, 1800]);
  });

  it("reviews a shot by its own setting, else by its chain's, else by the defaults", async () => {
    const link = (from: string): string => `model: alpha-video, startFrame: { lastFrameOf: ${from} }`;
    const { shots } = await production(`
      defaults: { review: true, takes: 2, onFailure: skip }
      shots:
        - { id: alone, model: alpha-video, onFailure: fail, takes: 1 }
        - { id: head, model: alpha-video, review: { within: 60, otherwise: skip, chain: true } }
        - { id: second, ${link('head')} }
        - { id: free, ${link('second')}, review: false }
        - { id: last, ${link('free')} }
    `);
    const always = { withinSeconds: null, otherwise: 'approve' };
    const chain = { withinSeconds: 60, otherwise: 'skip' };
    expect(shots.map(({ id, review }) => [id, review])).toEqual([
      ['alone', always],
      ['head', chain],
      ['second', chain],
      ['free', null],
      ['last', chain],
    ]);
    expect(shots.map(({ takes, onFailure }) => [takes, onFailure])).toEqual([
      [1, 'fail'],
      [2, 'skip'],
      [2, 'skip'],
      [2, 'skip'],
      [2, 'skip'],
    ]);
    const [head, after] = (
      await production(`shots: [{ id: a, model: alpha-video, review: chain }, { id: b, ${link('a')} }]`)
    ).shots;
    expect([head?.review, after?.review]).toEqual([always, always]);
  });

  it('passes any other model through by its id, with its own files marked', async () => {
    const { shots } = await production(
      `
      shots:
        - { id: a, model: alpha-video }
        - id: b
          model: zoom-video-9
          strength: 0.4
          lights: [warm, { from: left }]
          mask: { file: mask.png }
          frames: [{ lastFrameOf: a }, { file: 'https://pictures.example/a.png' }]
          startFrame: mask.png
    `,
      { 'mask.png': PIXEL },
    );
    expect(shots[1]).toMatchObject({
      model: { id: 'zoom-video-9', output: 'video' },
      parameters: { strength: 0.4, lights: ['warm', { from: 'left' }] },
      files: {
        mask: { kind: 'local' },
        startFrame: { kind: 'local' },
        frames: [
          { kind: 'link', shot: 'a', frame: 'last' },
          { kind: 'address', url: 'https://pictures.example/a.png' },
        ],
      },
    });
  });

  it('calls a declared model at its own addresses if a workflow is named', async () => {
    const { shots } = await production(`
      models: { zoom-9: { workflow: zoom/v9, output: image } }
      shots: [{ id: a, model: zoom/v9 }]
    `);
    expect(shots[0]?.model).toEqual({ id: 'zoom-9', workflow: 'zoom/v9', output: 'image' });
  });

  it('makes no film if no shot makes video', async () => {
    const { assembly } = await production(`
      models: { pixel-1: { output: image } }
      shots: [{ id: a, model: pixel-1 }]
    `);
    expect(assembly).toBeUndefined();
  });

  it('takes id and title from the name of the file if it has none', async () => {
    const shots = 'shots: [{ id: a, model: alpha-video }]';
    expect(await production(shots, {}, 'My first film.yaml')).toMatchObject({
      id: 'My-first-film',
      title: 'My-first-film',
    });
    expect(await production(`title: Waves\n${shots}`)).toMatchObject({ id: 'film', title: 'Waves' });
  });

  it('links forward and backward in the order of the film', async () => {
    const { shots } = await production(`
      shots:
        - { id: a, model: alpha-video, startFrame: { firstFrameOf: c } }
        - { id: b, model: alpha-video, startFrame: { lastFrameOf: a } }
        - { id: c, model: alpha-video }
    `);
    expect(shots.map(({ id, files }) => [id, files['startFrame']])).toEqual([
      ['a', { kind: 'link', shot: 'c', frame: 'first' }],
      ['b', { kind: 'link', shot: 'a', frame: 'last' }],
      ['c', undefined],
    ]);
  });

  it('extracts stills and written prompts from their shots, names them after these, and puts them before', async () => {
    const { shots } = await production(`
      defaults: { model: alpha-video, takes: 2 }
      models: { pixel-1: { output: image, quick: true }, quill-1: { output: text } }
      shots:
        - id: a
          prompt: { from: { model: quill-1, prompt: Sea, takes: 1 } }
          startFrame: { still: { model: pixel-1, prompt: { from: { model: quill-1, prompt: A picture } }, review: true } }
          imageUrls: [{ still: { model: pixel-1, prompt: One } }, { still: { model: pixel-1, prompt: Two } }]
        - { id: b, prompt: Sea, endFrame: { still: { model: pixel-1, prompt: Three } } }
        - { id: c, prompt: Sea, startFrame: { stillOf: a, parameter: imageUrls.2 }, endFrame: { stillOf: b } }
        - { id: d, model: pixel-1, prompt: Poster }
        - { id: e, model: zoom-9, words: { from: { model: quill-1, prompt: Sea } }, mask: { stillOf: d } }
    `);
    const whole = (shot: string): object => ({ kind: 'link', shot, frame: 'whole' });
    expect(shots.map(({ id }) => id).join(' ')).toBe(
      'a.prompt a.startFrame.prompt a.startFrame a.imageUrls a.imageUrls.2 a b.endFrame b c d e.words e',
    );
    const byId = new Map(shots.map((shot) => [shot.id, shot]));
    expect(byId.get('a')).toMatchObject({
      parameters: {},
      texts: { prompt: { shot: 'a.prompt', maxCharacters: 5000 } },
      files: { startFrame: whole('a.startFrame'), imageUrls: [whole('a.imageUrls'), whole('a.imageUrls.2')] },
      takes: 2,
      review: null,
    });
    expect(byId.get('a.prompt')).toMatchObject({ parameters: { prompt: 'Sea' }, takes: 1, model: { output: 'text' } });
    expect(byId.get('a.startFrame')).toMatchObject({
      parameters: {},
      texts: { prompt: { shot: 'a.startFrame.prompt' } },
      takes: 2,
      review: { withinSeconds: null },
      quick: true,
    });
    expect(byId.get('c')?.files).toEqual({ startFrame: whole('a.imageUrls.2'), endFrame: whole('b.endFrame') });
    expect(byId.get('e')).toMatchObject({
      parameters: {},
      texts: { words: { shot: 'e.words' } },
      files: { mask: whole('d') },
    });
    expect(byId.get('b')).not.toHaveProperty('texts');
  });

  it("does not check the length of a text that is yet to be written against the person's own schema", async () => {
    const properties = { words: { type: 'string', maxLength: 20, pattern: '^[A-Z]' }, count: { type: 'number' } };
    const written = (name: string): string => `
      models: { quill-1: { output: text }, zoom-9: { schema: zoom.json } }
      shots: [{ id: a, model: zoom-9, ${name}: { from: { model: quill-1, prompt: Sea } } }]
    `;
    const neighbours = { 'zoom.json': JSON.stringify({ type: 'object', properties }) };
    const { shots } = await production(written('words'), neighbours);
    expect(shots.at(-1)?.texts).toEqual({ words: { shot: 'a.words', maxCharacters: 20 } });
    await expect(production(written('count'), neighbours)).rejects.toThrow('takes a number');
    const orNothing = { words: { type: ['string', 'null'], minLength: 50, maxLength: 90 } };
    const nullable = { 'zoom.json': JSON.stringify({ type: 'object', properties: orNothing }) };
    const { shots: others } = await production(written('words'), nullable);
    expect(others.at(-1)?.texts).toEqual({ words: { shot: 'a.words', maxCharacters: 90 } });
  });

  it("anchors the link frames of a chain to its first shot, except that shot's own frames", async () => {
    const { shots } = await production(`
      defaults: { model: alpha-video, anchor: true }
      shots:
        - { id: d, startFrame: { lastFrameOf: c }, anchor: false }
        - { id: c, startFrame: { lastFrameOf: b } }
        - { id: b, startFrame: { lastFrameOf: a } }
        - { id: a }
        - { id: e, startFrame: { firstFrameOf: c } }
    `);
    expect(shots.map(({ files }) => files['startFrame'])).toEqual([
      { kind: 'link', shot: 'c', frame: 'last' },
      { kind: 'link', shot: 'b', frame: 'last', anchor: 'a' },
      { kind: 'link', shot: 'a', frame: 'last' },
      undefined,
      { kind: 'link', shot: 'c', frame: 'first' },
    ]);
    // So it waits for the first shot as well, and its key has that shot's take.
    expect(frameLinks(shots[1]!)).toMatchObject([{ shot: 'b' }, { shot: 'a', frame: 'last' }]);
  });

  it('makes subtitles if there are captions, unless the file says otherwise', async () => {
    const shot = 'shots: [{ id: a, model: alpha-video, caption: Hello }]';
    expect((await production(shot)).assembly?.subtitles).toBe(true);
    expect((await production(`${shot}\nassembly: { subtitles: false }`)).assembly?.subtitles).toBe(false);
    expect((await production('shots: [{ id: a, model: alpha-video }]')).assembly?.subtitles).toBe(false);
  });

  it.each([
    ['cut', { kind: 'cut' }],
    ['crossfade', { kind: 'crossfade', seconds: 0.5 }],
    ['{ crossfade: 1.5 }', { kind: 'crossfade', seconds: 1.5 }],
  ])('reads the transition %s', async (written, transition) => {
    const { assembly } = await production(
      `shots: [{ id: a, model: alpha-video }]\nassembly: { transition: ${written} }`,
    );
    expect(assembly?.transition).toEqual(transition);
  });

  it.each([
    ['{ language: PT-br }', { subtitles: true, subtitlesLanguage: 'pt-BR' }],
    ['true, captions: burnt', { subtitles: true, captions: 'burnt' }],
    ['{ language: ger }, captions: burnt', { subtitles: true, subtitlesLanguage: 'de', captions: 'burnt' }],
    ['true, captions: track', { subtitles: true }],
  ])('reads subtitles: %s', async (written, assembly) => {
    const shot = 'shots: [{ id: a, model: alpha-video, caption: [{ text: Hello, from: 0, to: 1.5 }] }]';
    const { shots, assembly: read } = await production(`${shot}\nassembly: { subtitles: ${written} }`);
    expect(read).toEqual({ transition: { kind: 'cut' }, ...assembly });
    expect(shots[0]?.caption).toEqual([{ text: 'Hello', from: 0, to: 1.5 }]);
  });

  it("makes no track of burnt captions, and refuses them if this machine's ffmpeg cannot draw text", async () => {
    const text = 'shots: [{ id: a, model: alpha-video, caption: Hello }]\nassembly: { captions: burnt }';
    expect((await production(text)).assembly).toMatchObject({ subtitles: false, captions: 'burnt' });
    const drawsText = () => Promise.resolve(false);
    const load = async (written: string) => loadProduction(await fileWith(written), { ...policy, drawsText });
    const refused = await load(text);
    expect(refused.ok ? '' : formatIssues(refused.issues)).toContain(':2:23 captions cannot be burnt in');
    expect((await load(text.replace(', caption: Hello', ''))).ok).toBe(true);
    const titled = await load(text.replace('captions: burnt', 'title: Sea'));
    expect(titled.ok ? '' : formatIssues(titled.issues)).toContain(':2:20 the title cannot be drawn');
  });

  it('refuses a title with letters that its font does not have', async () => {
    const shots = 'title: 日本\nshots: [{ id: a, model: alpha-video }]\nassembly';
    const [shownTitle, none] = await Promise.all(
      ['{ title: true }', '{ title: false }'].map(async (assembly) =>
        loadProduction(await fileWith(`${shots}: ${assembly}`), policy),
      ),
    );
    expect(shownTitle?.ok === false && formatIssues(shownTitle.issues)).toContain(":1:8 the film's title cannot show");
    expect(none?.ok).toBe(true);
  });

  it.each([
    ['resolution', 'resolution: 4K', "aspectRatio: '16:9'"],
    ['resolution', 'resolution: 1920x1080', "aspectRatio: '16:9'"],
    ['aspectRatio', 'aspectRatio: portrait', 'resolution: 720p'],
  ])('asks for the %s of a film if its first shot has %s', async (missing, written, output) => {
    const text = `shots: [{ id: a, model: zoom-9, ${written} }]\noutput: { ${output} }`;
    const result = await loadProduction(await fileWith(text), policy);
    expect(result.ok ? '' : formatIssues(result.issues)).toContain(`output has no ${missing}`);
    const whole = text.replace(output, "resolution: 720p, aspectRatio: '9:16'");
    expect((await production(whole)).output).toMatchObject({ width: 720, height: 1280 });
  });

  it('reads the transition of a single joint, and allows a short clip between two cuts', async () => {
    const { shots, assembly } = await production(`
      defaults: { model: beta-video, prompt: Sea, duration: 12 }
      shots:
        - { id: a }
        - { id: b, duration: 4, transition: cut }
        - { id: c, transition: { crossfade: 2 } }
        - { id: d }
      assembly: { transition: { crossfade: 3 } }
    `);
    expect(assembly?.transition).toEqual({ kind: 'crossfade', seconds: 3 });
    expect(shots.map(({ transition }) => transition)).toEqual([
      undefined,
      { kind: 'cut' },
      { kind: 'crossfade', seconds: 2 },
      undefined,
    ]);
  });

  it("does not check the film's crossfade against a short clip whose joins are cuts, since its chain goes on", async () => {
    const { assembly } = await production(`
      defaults: { model: beta-video, prompt: Sea, duration: 12 }
      shots:
        - { id: a }
        - { id: b, duration: 4, startFrame: { lastFrameOf: a } }
        - { id: c, startFrame: { lastFrameOf: b } }
        - { id: d }
      assembly: { transition: { crossfade: 3 } }
    `);
    expect(assembly?.transition).toEqual({ kind: 'crossfade', seconds: 3 });
  });

  it.each([
    ['true', { text: 'Waves', seconds: 3 }],
    ['Storm', { text: 'Storm', seconds: 3 }],
    ['{ text: Storm, seconds: 1 }', { text: 'Storm', seconds: 1 }],
    ['false', undefined],
  ])('reads the title %s', async (written, title) => {
    const { assembly } = await production(
      `title: Waves\nshots: [{ id: a, model: alpha-video }]\nassembly: { title: ${written} }`,
    );
    expect(assembly?.title).toEqual(title);
  });

  it.each([
    ['{}', { file: 'film.mp4' }],
    ['{ resolution: 720p, aspectRatio: 21:9 }', { file: 'film.mp4', width: 1680, height: 720 }],
    ['{ resolution: 480P }', { file: 'film.mp4', width: 480, height: 854 }],
    ['{ aspectRatio: 1:1, frameRate: 30 }', { file: 'film.mp4', width: 720, height: 720, frameRate: 30 }],
    ['{ file: Küste 2.mp4 }', { file: 'Küste 2.mp4' }],
  ])('makes the film with output %s, and takes missing settings from the first shot', async (written, output) => {
    const first = '{ id: a, model: alpha-video, resolution: 720p, aspectRatio: "9:16" }';
    expect((await production(`shots: [${first}]\noutput: ${written}`)).output).toEqual(output);
  });

  it('reads JSON with tabs, and anchors and merge keys in YAML', async () => {
    const json = '{\n\t"shots": [\n\t\t{ "id": "a", "model": "alpha-video" }\n\t]\n}';
    expect((await production(json, {}, 'film.json')).shots).toHaveLength(1);
    const { shots } = await production(`
      shots:
        - &first { id: a, model: alpha-video, seed: 7 }
        - { <<: *first, id: b }
    `);
    expect(shots[1]).toMatchObject({ id: 'b', parameters: { seed: 7 } });
  });

  it('resolves paths from its own folder, wherever the command runs', async () => {
    const { shots } = await production('shots: [{ id: a, model: alpha-video, startFrame: dawn.png }]', {
      'dawn.png': PIXEL,
    });
    expect(shots[0]?.files['startFrame']).toMatchObject({ kind: 'local', written: 'dawn.png' });
  });

  it('is refused if it has more shots or takes than its workflow can hold', async () => {
    const shots = (count: number, takes: number): string =>
      JSON.stringify({
        defaults: { takes },
        shots: Array.from({ length: count }, (_, index) => ({ id: `s${index}`, model: 'alpha-video' })),
      });
    for (const [count, takes] of [
      [1_000, 2],
      [1_001, 1],
      [300, 7],
    ] as const) {
      const loaded = await loadProduction(await fileWith(shots(count, takes)), policy);
      const issues = loaded.ok ? '' : formatIssues(loaded.issues);
      if (count === 1_000) expect(loaded.ok).toBe(true);
      else expect(issues).toContain(`there are ${count} shots, with ${count * takes} takes in all`);
    }
  });

  it('is refused if it is not a file, or too large', async () => {
    const path = await fileWith('', { 'large.yaml': Buffer.alloc(8 * 1024 * 1024 + 1, '#') });
    const folder = dirname(path);
    const said = await Promise.all(
      [folder, join(folder, 'none.yaml'), join(folder, 'large.yaml'), path].map(async (one) => {
        const result = await loadProduction(one, policy);
        return result.ok ? 'nothing' : formatIssues(result.issues);
      }),
    );
    expect(said).toEqual([
      expect.stringContaining('this is no file'),
      expect.stringContaining('there is no such file'),
      expect.stringContaining('8388609 bytes'),
      expect.stringContaining('the file is empty'),
    ]);
  });
});

/** The smallest picture: one dark pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
