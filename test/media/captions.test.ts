import { type FilmClip } from '../../media';
import { type FilmPlan } from '../../media/film-plan';
import { layOutCaption } from '../../media/text/burnt-captions';
import { captionSpans } from '../../media/text/captions';
import { drawLine, missingLetters } from '../../media/text/drawn-text';
import { subtitleText } from '../../media/text/tracks';
import { filmOf } from './fixtures';

/** Two shots of 48 frames, the second seen from frame 36 on, in a film of 84. */
const PLAN = {
  format: { width: 320, height: 180, frameRate: { numerator: 24, denominator: 1 } },
  pieces: [{ shotFrame: 0 }, { shotFrame: 36 }],
  frames: 84,
} as unknown as FilmPlan;

const filmWith = (...captions: readonly FilmClip['caption'][]) => {
  const film = filmOf(['a', 'b'], { subtitles: true });
  return { ...film, clips: film.clips.map((clip, index) => ({ ...clip, caption: captions[index] ?? '' })) };
};

describe('captions in their place in the film', () => {
  it.each<[string, readonly FilmClip['caption'][], readonly (readonly [string, number, number])[]]>([
    [
      'stand as long as their shot',
      ['One', 'Two'],
      [
        ['One', 0, 36],
        ['Two', 36, 84],
      ],
    ],
    [
      'stand by their own times, from the shot’s first frame',
      ['', [{ text: 'Two', from: 0.5, to: 1 }]],
      [['Two', 48, 60]],
    ],
    [
      'follow one another without a gap',
      [
        [
          { text: 'One', from: 0, to: 0.7 },
          { text: 'Two', from: 0.7, to: 1 },
        ],
      ],
      [
        ['One', 0, 17],
        ['Two', 17, 24],
      ],
    ],
    ['end with their shot', [[{ text: 'Long', from: 1, to: 2 }]], [['Long', 24, 36]]],
    ['are left out past the end, or where they are blank', [[{ text: 'Late', from: 1.6, to: 2 }], ' \n'], []],
  ])('%s', (_what, captions, spans) => {
    expect(
      captionSpans(filmWith(...captions), PLAN).map(({ text, startFrame, endFrame }) => [text, startFrame, endFrame]),
    ).toEqual(spans);
  });
});

describe('captions in a subtitle track', () => {
  it('are text and no markup, whatever they contain', () => {
    const joiner = '\u2060';
    const text = subtitleText(filmWith('C:\\New <i>5 < 6</i> {\\an8}\n\n2\n--> end'), PLAN);
    expect(text).toBe(
      `1\n00:00:00,000 --> 00:00:01,500\nC:\\${joiner}New <${joiner}i>5 < 6<${joiner}/i> (\\${joiner}an8)\n2\n--> end\n`,
    );
  });
});

describe('captions in the picture', () => {
  it.each([
    ['short', 'Hello', 1],
    ['of two lines', 'Hello\r\nworld', 2],
    ['long', 'The keeper counted every single wave until morning, and then he counted them again', 3],
    ['of one endless word', 'x'.repeat(300), 5],
  ])('fit into the frame if they are %s', (_what, text, leastLines) => {
    for (const format of [
      { ...PLAN.format, width: 1280, height: 720 },
      { ...PLAN.format, width: 480, height: 854 },
    ]) {
      const { letters, lines } = layOutCaption(text, format);
      expect(lines.length).toBeGreaterThanOrEqual(format.width > 1000 ? Math.min(2, leastLines) : leastLines);
      expect(Math.max(...lines.map((line) => line.length)) * letters * 0.58).toBeLessThanOrEqual(format.width * 0.88);
      expect(lines.length * letters * 1.3).toBeLessThanOrEqual(format.height * 0.31);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(/\s/g, ''));
    }
  });

  it('are drawn from files, with no text of theirs in the filter', () => {
    expect(drawLine(`/it's [a]; b:c\\.txt`, { enable: `'between(n,0,5)'` })).toContain(
      String.raw`textfile=/it\\\'s \[a\]\; b\\:c\\\\.txt:expansion=none`,
    );
  });

  it('need letters that the font has', () => {
    expect(missingLetters('Élan – Ελλάδα, Море, Việt Nam: 100% {x} \\N “5”\n…')).toEqual([]);
    expect(missingLetters('日日 🌅')).toEqual(['日', '🌅']);
  });
});
