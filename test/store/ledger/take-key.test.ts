import fc from 'fast-check';
import { type AssetRef } from '../../../contracts/asset';
import { type FrozenShot } from '../../../contracts/render/frozen';
import { type Ask, askKey, canonicalJson, shotDigest, takeKey } from '../../../store';

const picture = (digit: string): AssetRef => ({
  sha256: digit.repeat(64),
  sizeBytes: 10,
  mediaType: 'image/png',
  durationSeconds: null,
  width: 1,
  height: 1,
});

const shot: FrozenShot = {
  id: 'dawn',
  model: { id: 'beta-2.5', output: 'video' },
  parameters: { prompt: 'first light', resolution: '720p' },
  files: {
    startFrame: { kind: 'link', shot: 'night', frame: 'last' },
    imageUrls: [{ kind: 'asset', asset: picture('1'), name: 'keeper.png' }],
    endFrame: { kind: 'address', url: 'https://example.com/end.png' },
  },
  caption: 'Dawn',
};
const ask: Ask = {
  account: 'https://gateway.example.com',
  productionId: 'film',
  shot,
  links: [{ shot: 'night', frame: 'last', takeKey: 'k1' }],
};

const ANCHORED: Ask = {
  ...ask,
  shot: {
    ...shot,
    files: { ...shot.files, startFrame: { kind: 'link', shot: 'night', frame: 'last', anchor: 'dusk' } },
  },
  links: [...ask.links, { shot: 'dusk', frame: 'last', takeKey: 'k0' }],
};

describe('take key', () => {
  it('is unchanged since before frames could be anchored', () => {
    const { startFrame } = shot.files;
    const plain = {
      id: 'dawn',
      model: shot.model,
      parameters: { prompt: 'first light' },
      files: { startFrame: startFrame! },
    };
    const before = '6511cf8928dad017a1403a75bfe94be1a1d428f94ffa51ac2601c7662c0e449c';
    expect(askKey({ ...ask, account: 'sandbox', shot: plain })).toBe(before);
  });

  it('changes with the take that a frame is anchored to', () => {
    const other = { ...ANCHORED, links: [...ask.links, { shot: 'dusk', frame: 'last' as const, takeKey: 'k9' }] };
    expect(new Set([ask, ANCHORED, other].map(askKey)).size).toBe(3);
    expect(() => askKey({ ...ANCHORED, links: ask.links })).toThrow('frame of dusk is not known yet');
  });

  it.each<[string, Ask]>([
    ['a default that is written out', { ...ask, shot: { ...shot, parameters: { ...shot.parameters, duration: 5 } } }],
    [
      'the order of parameters',
      { ...ask, shot: { ...shot, parameters: { resolution: '720p', prompt: 'first light' } } },
    ],
    ['the caption', { ...ask, shot: { ...shot, caption: 'Another' } }],
    ['the transition', { ...ask, shot: { ...shot, transition: { kind: 'cut' } } }],
    [
      'the name of a file',
      {
        ...ask,
        shot: { ...shot, files: { ...shot.files, imageUrls: [{ kind: 'asset', asset: picture('1'), name: 'b.png' }] } },
      },
    ],
  ])('is the same whatever %s', (_what, other) => {
    expect(askKey(other)).toBe(askKey(ask));
  });

  it('has the same digest if only something differs that is never sent', () => {
    const unsent: Partial<FrozenShot> = {
      caption: [{ text: 'Another', from: 0, to: 1 }],
      drift: 'expected',
      transition: { kind: 'cut' },
    };
    expect(shotDigest({ ...shot, ...unsent })).toBe(shotDigest(shot));
  });

  it.each<[string, Ask]>([
    ['account', { ...ask, account: 'sandbox' }],
    ['production', { ...ask, productionId: 'other' }],
    ['shot', { ...ask, shot: { ...shot, id: 'noon' } }],
    ['model', { ...ask, shot: { ...shot, model: { id: 'beta-3', output: 'video' } } }],
    ['workflow name', { ...ask, shot: { ...shot, model: { ...shot.model, workflow: 'beta' } } }],
    ['prompt', { ...ask, shot: { ...shot, parameters: { ...shot.parameters, prompt: 'last light' } } }],
    [
      'bytes of a picture',
      {
        ...ask,
        shot: {
          ...shot,
          files: { ...shot.files, imageUrls: [{ kind: 'asset', asset: picture('2'), name: 'keeper.png' }] },
        },
      },
    ],
    [
      'address',
      {
        ...ask,
        shot: { ...shot, files: { ...shot.files, endFrame: { kind: 'address', url: 'https://example.com/2.png' } } },
      },
    ],
    ['take upstream', { ...ask, links: [{ shot: 'night', frame: 'last', takeKey: 'k2' }] }],
    [
      'frame of the take upstream',
      {
        ...ask,
        shot: { ...shot, files: { ...shot.files, startFrame: { kind: 'link', shot: 'night', frame: 'first' } } },
        links: [{ shot: 'night', frame: 'first', takeKey: 'k1' }],
      },
    ],
  ])('changes with the %s', (_what, other) => {
    expect(askKey(other)).not.toBe(askKey(ask));
  });

  it('depends on how many takes asked for the same', () => {
    expect(takeKey(askKey(ask), 0)).not.toBe(takeKey(askKey(ask), 1));
  });

  it('is unchanged for a shot without stills and texts, and so is its digest', () => {
    const key = 'b680092490a1d9e0aa6851846ebf2a1a6bd26ef9e293e135ec386d325bb0ead8';
    const digest = '144f7469ab10a65c966adbba38116e1e7c4677877f9d1ea8e38bbe430736f415';
    expect(askKey(ask)).toBe(key);
    expect(shotDigest(shot)).toBe(digest);
  });

  it('changes with the take of a still and of a written text, not with the limit of the text', () => {
    const links = (still: string, text: string): Ask['links'] => [
      ...ask.links,
      { shot: 'dawn.endFrame', frame: 'whole', takeKey: still },
      { shot: 'dawn.prompt', frame: 'whole', takeKey: text },
    ];
    const written = (maxCharacters: number): FrozenShot => ({
      ...shot,
      parameters: { resolution: '720p' },
      files: { ...shot.files, endFrame: { kind: 'link', shot: 'dawn.endFrame', frame: 'whole' } },
      texts: { prompt: { shot: 'dawn.prompt', maxCharacters } },
    });
    const one = { ...ask, shot: written(5000), links: links('k3', 'k4') };
    const others = [
      { ...one, links: links('k9', 'k4') },
      { ...one, links: links('k3', 'k9') },
      { ...one, sibling: 1 },
    ];
    expect(new Set([ask, one, ...others].map(askKey)).size).toBe(5);
    expect(askKey({ ...one, shot: written(100) })).toBe(askKey(one));
    expect(shotDigest(written(100))).toBe(shotDigest(written(5000)));
    expect(shotDigest(written(100))).not.toBe(shotDigest(shot));
    expect(() => askKey({ ...one, links: ask.links })).toThrow('not known yet');
  });

  it('does not hash a link whose take is not known', () => {
    expect(() => askKey({ ...ask, links: [] })).toThrow('not known yet');
  });

  it('gives equal text for equal JSON, whatever the order of fields', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
