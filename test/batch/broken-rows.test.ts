import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBatch } from '../../client/batch-file/check-batch';
import { formatRowIssues } from '../../client/batch-file/row-issue';
import { temporaryFolder } from '../support/temporary-folder';

const policy = { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } as const;

/** Writes files into a new folder, checks the first, and returns its errors, one line each. */
async function mistakes(files: Readonly<Record<string, string | Buffer>>): Promise<readonly string[]> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await mkdir(join(folder, 'folder'));
  const loaded = await checkBatch(join(folder, Object.keys(files)[0] ?? ''), { policy });
  if (loaded.ok) {
    await loaded.batch.close();
    return [];
  }
  return formatRowIssues(loaded.issues, loaded.count)
    .split('\n')
    .map((line) => line.replaceAll(`${folder}/`, ''));
}

const table = (head: string, ...rows: readonly string[]): string => [head, ...rows, ''].join('\n');
const beta = (more: string, ...cells: readonly string[]): string =>
  table(`key,model,prompt${more}`, ...cells.map((cell, index) => `k${index + 1},beta-video,the sea${cell}`));

/** What is broken, the table, and the reported place. */
const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ['no key', table('key,model,prompt', ',beta-video,sea'), /^rows.csv:2 row 1: key is missing/],
  ['a key with a space', table('key,model,prompt', 'a b,beta-video,sea'), /:2 row 1, column "key": the key is "a b"/],
  ['a key with a slash', table('key,model,prompt', 'a/b,beta-video,sea'), /:2 row 1, column "key": the key is "a\/b"/],
  ['a key that leaves the folder', table('key,model,prompt', '../x,beta-video,sea'), /:2 row 1, column "key"/],
  ['a key that begins with a dash', table('key,model,prompt', '-x,beta-video,sea'), /:2 row 1, column "key"/],
  [
    'a key that is too long',
    table('key,model,prompt', `${'k'.repeat(65)},beta-video,sea`),
    /column "key": the key has 65 characters; it may have at most 64/,
  ],
  [
    'a key that stands twice',
    table('key,model,prompt', 'a,beta-video,sea', 'a,beta-video,sky'),
    /:3 row 2, column "key": the key "a" is taken: row 1/,
  ],
  [
    'keys that differ in case only',
    table('key,model,prompt', 'a,beta-video,sea', 'A,beta-video,sky'),
    /:3 row 2, column "key": .*case does not count/,
  ],
  ['no model', table('key,model,prompt', 'a,,sea'), /:2 row 1, column "model": model is missing/],
  ['no column of models', table('key,prompt', 'a,sea'), /:2 row 1, column "model": model is missing/],
  [
    'a model that is misspelt',
    table('key,model,prompt', 'a,beta-vidoe,sea'),
    /:2 row 1, column "model": unknown model "beta-vidoe"\. Did you mean/,
  ],
  [
    'no prompt where the model needs one',
    table('key,model,prompt', 'a,beta-video,'),
    /:2 row 1, column "prompt": prompt is missing; beta-video needs it/,
  ],
  [
    'a prompt that is too long',
    table('key,model,prompt', `a,alpha-video,${'x'.repeat(5001)}`),
    /:2 row 1, column "prompt": prompt has 5001 characters; alpha-video takes at most 5000/,
  ],
  [
    'a duration out of bounds',
    beta(',duration', ',5', ',99'),
    /:3 row 2, column "duration": duration is 99; beta-video takes a whole number from 4 to 30/,
  ],
  ['a duration that is a word', beta(',duration', ',long'), /:2 row 1, column "duration": duration is "long"/],
  ['a duration that is half a second', beta(',duration', ',4.5'), /:2 row 1, column "duration": duration is 4.5/],
  ['a duration with a decimal comma', beta(',duration', ',"4,5"'), /:2 row 1, column "duration": duration is "4,5"/],
  [
    'a duration that the other model has',
    table('key,model,prompt,duration', 'a,alpha-video,sea,7'),
    /:2 row 1, column "duration"/,
  ],
  ['a resolution that there is not', beta(',resolution', ',4k'), /:2 row 1, column "resolution": resolution is "4k"/],
  [
    'an aspect ratio of the other model',
    table('key,model,prompt,aspectRatio', 'a,alpha-video,sea,21:9'),
    /:2 row 1, column "aspectRatio"/,
  ],
  [
    'a yes for a boolean',
    beta(',generateAudio', ',yes'),
    /:2 row 1, column "generateAudio": generateAudio is "yes"; beta-video takes true or false/,
  ],
  [
    'a seed out of bounds',
    table('key,model,prompt,seed', 'a,alpha-video,sea,-1'),
    /:2 row 1, column "seed": seed is -1/,
  ],
  ['a seed for a model that has none', beta(',seed', ',7'), /column "seed": seed is a parameter of alpha-video/],
  [
    'a column that is misspelt',
    table('key,model,prompt,promt', 'a,beta-video,sea,sky', 'b,beta-video,sea,sky'),
    /rows.csv:1 column "promt": unknown key "promt"/,
  ],
  ['a container that there is not', beta(',outputFormat', ',avi'), /:2 row 1, column "outputFormat"/],
  ['a colour depth that there is not', beta(',colorDepth', ',12bit'), /:2 row 1, column "colorDepth"/],
  [
    'a file that is not there',
    beta(',startFrame', ',nowhere.png'),
    /:2 row 1, column "startFrame": "nowhere.png" does not exist/,
  ],
  ['a folder for a file', beta(',startFrame', ',folder'), /:2 row 1, column "startFrame": "folder" is a folder/],
  [
    'a table for a picture',
    beta(',startFrame', ',rows.csv'),
    /:2 row 1, column "startFrame": "rows.csv" is not an image/,
  ],
  [
    'an address with scheme ftp',
    beta(',startFrame', ',ftp://x.example/a.png'),
    /:2 row 1, column "startFrame": .*an address with scheme ftp/,
  ],
  [
    'an address with a password',
    beta(',startFrame', ',https://a:b@x.example/a.png'),
    /:2 row 1, column "startFrame": .*user name or password/,
  ],
  [
    'an address with scheme ftp and a password',
    beta(',startFrame', ',ftp://a:b@x.example/a.png'),
    /:2 row 1, column "startFrame": "ftp:\/\/…@x.example\/a.png" is an address/,
  ],
  [
    'an invalid address with a password',
    beta(',startFrame', ',https://a:b@x.example:99999/a.png'),
    /:2 row 1, column "startFrame": "https:\/\/…@x.example:99999\/a.png" is no valid address/,
  ],
  [
    'one of several reference pictures',
    beta(',imageUrls', ',https://x.example/a.png | gone.png'),
    /:2 row 1, column "imageUrls.*": "gone.png" does not exist/,
  ],
  ['a deadline of nothing', beta(',deadline', ',0'), /:2 row 1, column "deadline": deadline is 0/],
  ['too many further takes', beta(',retryFailed', ',9'), /:2 row 1, column "retryFailed": retryFailed is 9/],
  ['a rule for failures that there is not', beta(',onFailure', ',retry'), /:2 row 1, column "onFailure"/],
  ['takes side by side', beta(',takes', ',3'), /column "takes": takes is for the shots of a production/],
  ['a review', beta(',review', ',true'), /column "review": review is for the shots of a production/],
  [
    'an output that is no kind',
    table('key,model,prompt,output', 'a,pixel-image-1,sea,picture'),
    /:2 row 1, column "output": output must be what the model makes: video, image, audio or text, not "picture"/,
  ],
  [
    'a model of two outputs',
    table('key,model,prompt,output', 'a,pixel-image-1,sea,image', 'b,pixel-image-1,sea,video'),
    /:3 row 2, column "output": output is video, and another row of pixel-image-1 has image/,
  ],
  ['an output of a known model', table('key,model,prompt,output', 'a,beta-video,sea,video'), /column "output"/],
  ...['constructor', 'toString', '__proto__'].map(
    (name) =>
      [
        `a column called ${name}`,
        table(`key,model,prompt,${name}`, 'a,beta-video,sea,x'),
        new RegExp(`^rows.csv:1 column "${name}": unknown key "${name}"`),
      ] as const,
  ),
  ['an id beside the key', beta(',id', ',x'), /column "id": a row is named by its key/],
  [
    'more cells than columns',
    beta('', ', stormy'),
    /:2 row 1: the row has 4 cells, and the first line names 3 columns/,
  ],
  [
    'a quote that is never closed',
    table('key,model,prompt', 'a,beta-video,"sea', 'b,beta-video,sky'),
    /rows.csv:\d+ row 1: a cell begins with a quote \("\) that is never closed/,
  ],
  [
    'a quote inside a cell',
    table('key,model,prompt', 'a,beta-video,the "sea"'),
    /rows.csv:2 row 1: a quote \("\) stands inside a cell/,
  ],
  [
    'two columns of one name',
    table('key,model,prompt,prompt', 'a,beta-video,sea,sky'),
    /rows.csv:1 column "prompt": two columns have this name/,
  ],
  ['a column without a name', table('key,model,prompt,', 'a,beta-video,sea,'), /rows.csv:1: column 4 has no name/],
  ['no rows', table('key,model,prompt'), /rows.csv:1: the table has no rows/],
];

describe('a table with a broken row', () => {
  it('is tested with more than forty kinds of errors', () => {
    expect(BROKEN.length).toBeGreaterThanOrEqual(40);
  });

  it.each(BROKEN)('%s: is reported by row and column', async (_kind, text, said) => {
    const found = await mistakes({ 'rows.csv': text });
    expect(found).toEqual([expect.stringMatching(said)]);
  });

  it('has all of its errors reported at once, whatever page they are on', async () => {
    const cells = Array.from({ length: 450 }, (_, index) => ([3, 222, 449].includes(index) ? ',99' : ',5'));
    const found = await mistakes({ 'rows.csv': beta(',duration', ...cells) });
    expect(found.map((line) => /row (\d+), column "duration"/.exec(line)?.[1])).toEqual(['4', '223', '450']);
  });

  it('has its errors only counted beyond a maximum', async () => {
    const found = await mistakes({ 'rows.csv': beta(',duration', ...Array.from({ length: 1_203 }, () => ',99')) });
    expect(found).toHaveLength(1_001);
    expect(found.at(-1)).toBe('… and 203 more mistakes');
  });

  const BEFORE = [
    ['blank lines', '\n\n', 4, 1],
    ['rows of blank cells', ',,\n , ,\n', 4, 1],
    ['a cell with line ends', 'a,beta-video,"the\nsea\r\nand\rsky"\n', 6, 2],
    ['all of it', '\r\n,,\na,beta-video,"the\r\nsea"\r\n\r\n\r\n,,\r\n', 9, 2],
  ] as const;
  it.each(BEFORE)('names the line and row where a row is, after %s', async (_what, before, line, row) => {
    for (const [broken, message] of [
      ['b,beta-vidoe,sea', ', column "model": unknown model'],
      ['b,beta-video,sea,too,many', ': the row has 5 cells'],
      ['b,beta-video,"sea', ': a cell begins with a quote'],
      ['b,beta-video,s"ea', ': a quote ("'],
      ['b,beta-video,"the\nsea"s', ': a quote ("'],
    ]) {
      const [found] = await mistakes({ 'rows.csv': `key,model,prompt\n${before}${broken}\nc,beta-video,sea\n` });
      expect(found).toContain(`rows.csv:${line} row ${row}${message}`);
    }
  });

  it('may have blank lines before its head, and reports a broken head', async () => {
    expect(await mistakes({ 'rows.csv': '\n\r\nkey,model,prompt\na,beta-video,sea\n' })).toEqual([]);
    expect(await mistakes({ 'rows.csv': '\n\r\nkey;model;prompt\na;beta-video;sea\n' })).toEqual([]);
    expect(await mistakes({ 'rows.csv': '\nkey,model,pro"mpt\na,beta-video,sea\n' })).toEqual([
      expect.stringMatching(/^rows.csv:2: a quote \("\) stands inside a cell/),
    ]);
    expect(await mistakes({ 'rows.csv': '\n\nkey,model,prompt\n\n' })).toEqual([
      expect.stringMatching(/^rows.csv:1: the table has no rows/),
    ]);
  });

  it('is not read completely because of an unclosed quote or an endless first line', async () => {
    const rest = 'k,beta-video,the sea is wide\n'.repeat(200_000);
    expect(await mistakes({ 'rows.csv': `key,model,prompt\na,beta-video,sea\nb,beta-video,"sea\n${rest}` })).toEqual([
      expect.stringMatching(/^rows.csv:\d+ row 2: the row has more than 4000000 bytes up to here; if a quote/),
    ]);
    expect(await mistakes({ 'rows.csv': 'key,model,prompt'.repeat(400_000) })).toEqual([
      expect.stringMatching(/^rows.csv:1: the first line has more than 4000000 characters/),
    ]);
  });

  it('is refused if it is not UTF-8', async () => {
    const latin = Buffer.from(beta('', '').replace('sea', 'm\u00f6we'), 'latin1');
    expect(await mistakes({ 'rows.csv': latin })).toEqual([expect.stringContaining('no UTF-8 text')]);
    // Found only when rows are under way: in the last character, and behind a first piece.
    const cut = Buffer.concat([Buffer.from(beta('', '', '')), Buffer.from([0xc3])]);
    expect(await mistakes({ 'rows.csv': cut })).toEqual([expect.stringContaining('no UTF-8 text')]);
    const late = Buffer.concat([Buffer.from(beta('', ...Array<string>(5_000).fill(''))), Buffer.from([0xff])]);
    expect(await mistakes({ 'rows.csv': late })).toEqual([expect.stringContaining('no UTF-8 text')]);
  });
});

describe('a valid table', () => {
  const whole: readonly (readonly [string, string])[] = [
    [
      'with quotes, and line ends in them',
      'key,model,prompt\na,beta-video,"the ""sea"",\nat night"\nb,beta-video,sky\n',
    ],
    [
      'with line ends of every kind',
      'key,model,prompt\r\na,beta-video,sea\nb,beta-video,"sky\nand sea"\rc,beta-video,fog\n',
    ],
    ['with a byte order mark and CRLF', '\ufeffkey,model,prompt\r\na,beta-video,sea\r\n'],
    ['with semicolons', 'key;model;prompt\na;beta-video;sea, wide\n'],
    ['with tabs', 'key\tmodel\tprompt\na\tbeta-video\tsea\n'],
    ['with empty lines and cleared rows', 'key,model,prompt\n\na,beta-video,sea\n,,\n\n'],
    [
      'with numbers, booleans and lists',
      'key,model,prompt,duration,generateAudio,imageUrls\n7,beta-video,42,8,FALSE,https://x.example/a.png|https://x.example/b.png\n',
    ],
  ];

  it('with line ends of old spreadsheets is accepted, however long it is', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => `k${index};alpha-video;${'x'.repeat(4_900)}`);
    expect(await mistakes({ 'rows.csv': ['key;model;prompt', ...rows].join('\r') })).toEqual([]);
  });

  it.each(whole)('%s is accepted', async (_kind, text) => {
    expect(await mistakes({ 'rows.csv': text })).toEqual([]);
  });

  it('has its cells converted to the types of the model', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'typed.csv');
    await writeFile(
      file,
      'key,model,prompt,duration,generateAudio,imageUrls,style\n007,beta-video,42,8,FALSE,https://x.example/a.png,\nb,some-model,1984,5,true,,007\n',
    );
    const loaded = await checkBatch(file, { policy });
    if (!loaded.ok) throw new Error(formatRowIssues(loaded.issues, loaded.count));
    const rows = [];
    for await (const row of loaded.batch.read()) rows.push(row);
    await loaded.batch.close();
    expect(rows).toMatchObject([
      { key: '007', shot: { parameters: { prompt: '42', duration: 8, generateAudio: false } } },
      { key: 'b', shot: { parameters: { duration: 5, generateAudio: true, style: '007' } } },
    ]);
  });
});

describe('a table that says what its models make', () => {
  it('is believed, and sends no such parameter', async () => {
    const file = join(await temporaryFolder(), 'pictures.csv');
    await writeFile(
      file,
      'key,model,prompt,output\na,pixel-image-1,sea,image\nb,pixel-image-1,sky,\nc,some-model,sun,\n',
    );
    const loaded = await checkBatch(file, { policy });
    if (!loaded.ok) throw new Error(formatRowIssues(loaded.issues, loaded.count));
    const rows = [];
    for await (const row of loaded.batch.read()) rows.push(row);
    await loaded.batch.close();
    expect(rows).toMatchObject([
      { key: 'a', shot: { model: { id: 'pixel-image-1', output: 'image' }, parameters: { prompt: 'sea' } } },
      { key: 'b', shot: { model: { id: 'pixel-image-1', output: 'image' } } },
      { key: 'c', shot: { model: { id: 'some-model', output: 'video' } } },
    ]);
    expect(JSON.stringify(rows)).not.toContain('"parameters":{"prompt":"sea","output"');
  });
});

describe('a list of rows', () => {
  it('in JSONL is reported by line and value', async () => {
    const lines = [
      '{"key":"a","model":"beta-video","prompt":"sea"}',
      '',
      '{"key":"b"',
      '[]',
      '{"key":"c","model":"beta-video","prompt":5}',
    ];
    expect(await mistakes({ 'rows.jsonl': lines.join('\r\n') })).toEqual([
      expect.stringMatching(/^rows.jsonl:3 row 2: the line is not JSON/),
      expect.stringMatching(/^rows.jsonl:4 row 3: the line is not a JSON object/),
      expect.stringMatching(/^rows.jsonl:5 row 4, column "prompt": prompt is 5/),
    ]);
  });

  it('in JSONL accepts no links: a row is one task', async () => {
    const row = '{"key":"a","model":"beta-video","prompt":"sea","startFrame":{"lastFrameOf":"b"}}';
    expect(await mistakes({ 'rows.jsonl': row })).toEqual([
      expect.stringMatching(/^rows.jsonl:1 row 1, column "startFrame": .*a row is a single task/),
    ]);
  });

  it('may have an ordinary value with a key `from`', async () => {
    const row = '{"key":"a","model":"pan","prompt":"sea","camera":{"from":1,"to":2}}';
    const batch = `models: { pan: { output: video } }\ngenerations: [${row}]\n`;
    expect(await mistakes({ 'batch.yaml': batch })).toEqual([]);
  });

  it('in YAML is reported by its line', async () => {
    const text = 'generations:\n  - { key: a, model: beta-video, prompt: sea }\n  - { key: b, model: beta-video }\n';
    expect(await mistakes({ 'rows.yaml': text })).toEqual([
      expect.stringMatching(/^rows.yaml:3 row 2, column "prompt"/),
    ]);
  });

  it('has no defaults that only the shots of a production have, which it would ignore', async () => {
    const batch = (defaults: string): string =>
      `defaults: { ${defaults} }\ngenerations:\n  - { key: a, model: beta-video, prompt: sea }\n`;
    expect(await mistakes({ 'rows.yaml': batch('takes: 3, review: true, retryFailed: 2') })).toEqual([
      expect.stringMatching(/^rows.yaml:1: defaults\.takes is for the shots of a production, and each row is a single/),
      expect.stringMatching(/^rows.yaml:1: defaults\.review .* Defaults of rows are model, the model's parameters, /),
    ]);
    expect(await mistakes({ 'rows.yaml': batch('takes: 1, review: false, anchor: false') })).toEqual([]);
    expect(await mistakes({ 'rows.yaml': batch('startFrame: { lastFrameOf: b }') })).toHaveLength(1);
  });

  it('of productions is reported by the shot', async () => {
    const text =
      'productions:\n  - id: a\n    shots:\n      - { id: x, model: beta-video, prompt: sea, duration: 99 }\n';
    expect(await mistakes({ 'rows.yaml': text })).toEqual([
      expect.stringMatching(/^rows.yaml:2 row 1, column "shots\[0\].duration": duration is 99/),
    ]);
  });

  it.each([
    ['neither rows nor content', 'title: x\n', /must have one of generations, productions, generation, production/],
    ['two contents', 'generations: [{ key: a }]\nproductions: [{ id: a }]\n', /must have one of/],
    ['a template without rows', 'generation: { key: a, model: beta-video }\n', /must have rows/],
    ['rows of a kind that there is not', 'generation: { key: a }\nrows: rows.xls\n', /rows is "rows.xls"/],
    [
      'an unknown key',
      'generation: { key: a }\nrows: [{ a: b }]\nparalel: 5\n',
      /unknown key "paralel"\. Did you mean "parallel"/,
    ],
  ])('with %s is refused', async (_kind, text, said) => {
    expect((await mistakes({ 'rows.yaml': text })).join('\n')).toMatch(said);
  });
});

describe('a template', () => {
  const template = (lines: string): string =>
    `generation:\n  key: "{{sku}}"\n  model: beta-video\n${lines}\nrows: rows.csv\n`;

  it('with an unknown column is reported once, at its own line', async () => {
    const files = { 'batch.yaml': template('  prompt: "A {{nmae}}"'), 'rows.csv': 'sku,name\na,cup\nb,jug\n' };
    expect(await mistakes(files)).toEqual([
      expect.stringMatching(/^batch.yaml:4: {{nmae}} names no column; did you mean {{name}}/),
    ]);
  });

  it('with an unknown column hides no other errors, and causes no errors that follow from it', async () => {
    const files = {
      'batch.yaml': template('  prompt: "A {{nmae}}"\n  duration: "{{seconds}}"\n  resolution: "{{size}}"'),
      'rows.csv': 'sku,name,seconds,size\na,cup,5,480p\na,jug,99,\n,pot,5,8k\n',
    };
    expect(await mistakes(files)).toEqual([
      expect.stringMatching(/batch.yaml:4: {{nmae}} names no column; did you mean/),
      expect.stringMatching(/rows.csv:3 row 2, column "size": the cell is empty/),
      expect.stringMatching(/rows.csv:3 row 2, column "sku": the key "a" is taken/),
      expect.stringMatching(/rows.csv:3 row 2, column "seconds": duration is 99/),
      expect.stringMatching(/rows.csv:4 row 3, column "sku": the cell is empty/),
      expect.stringMatching(/rows.csv:4 row 3, column "size": resolution is "8k"/),
    ]);
  });

  it('without a model for two rows causes no errors about what these models make', async () => {
    const files = {
      'batch.yaml':
        'generation: { key: "{{sku}}", model: "{{model}}", prompt: x, output: "{{kind}}" }\nrows: rows.csv\n',
      'rows.csv': 'sku,model,kind\na,,image\nb,,text\n',
    };
    expect(await mistakes(files)).toEqual([
      expect.stringMatching(/rows.csv:2 row 1, column "model": the cell is empty/),
      expect.stringMatching(/rows.csv:3 row 2, column "model": the cell is empty/),
    ]);
  });

  it('that needs an empty cell is an error in that row', async () => {
    const files = { 'batch.yaml': template('  prompt: "A {{name}}"'), 'rows.csv': 'sku,name\na,cup\nb,\n' };
    expect(await mistakes(files)).toEqual([
      expect.stringMatching(/rows.csv:3 row 2, column "name": the cell is empty/),
    ]);
  });

  it.each([
    ['null', /rows.jsonl:2 row 2, column "color": the value is null, and the template puts it into a text$/],
    ['["red"]', /rows.jsonl:2 row 2, column "color": the value is a list, and the template puts it into/],
    ['{ "name": "red" }', /rows.jsonl:2 row 2, column "color": the value is a map, and the template puts it into/],
  ])('that finds %s inside a text is an error in that row, and is not put into the prompt', async (value, said) => {
    const files = {
      'batch.yaml': template('  prompt: "A {{sku}} on a {{color}} table"').replace('rows.csv', 'rows.jsonl'),
      'rows.jsonl': `{ "sku": "a", "color": 5 }\n{ "sku": "b", "color": ${value} }\n`,
    };
    expect(await mistakes(files)).toEqual([expect.stringMatching(said)]);
  });

  it('that is filled with a value that the model does not accept is an error in that row and column', async () => {
    const files = {
      'batch.yaml': template('  prompt: "A {{name}}"\n  duration: "{{seconds}}"'),
      'rows.csv': 'sku,name,seconds\na,cup,5\nb,jug,99\n',
    };
    expect(await mistakes(files)).toEqual([
      expect.stringMatching(/rows.csv:3 row 2, column "seconds": duration is 99/),
    ]);
  });

  it('that is invalid by itself is reported once, at its own line', async () => {
    const files = {
      'batch.yaml': template('  prompt: "A {{name}}"\n  duration: 99'),
      'rows.csv': 'sku,name\na,cup\nb,jug\n',
    };
    expect(await mistakes(files)).toEqual([expect.stringMatching(/^batch.yaml:5: duration is 99/)]);
  });

  it('of a production checks that the ids of its rows are not too long', async () => {
    const files = {
      'batch.yaml':
        'production:\n  id: "{{sku}}"\n  shots: [{ id: a, model: beta-video, prompt: "{{sku}}" }]\nrows: rows.csv\n',
      'rows.csv': `sku\n${'x'.repeat(60)}\nfine\n`,
    };
    expect(await mistakes(files)).toEqual([
      expect.stringMatching(
        /rows.csv:2 row 1, column "sku": the key has 60 characters; it may have at most 58, since its production has the id "batch\.x/,
      ),
    ]);
  });
});
