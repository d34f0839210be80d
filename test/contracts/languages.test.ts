import { canonicalLanguage, languageCode } from '../../contracts/file/languages';

describe('the language of a subtitle track', () => {
  it.each([
    ['en', 'en', 'eng'],
    ['PT-br', 'pt-BR', 'por'],
    ['ger', 'de', 'deu'],
    ['zh-hant-TW', 'zh-Hant-TW', 'zho'],
    ['gsw', 'gsw', 'gsw'],
    ['iw', 'he', 'heb'],
  ])('of %s is %s, in an mp4 %s', (tag, canonical, code) => {
    expect([canonicalLanguage(tag), languageCode(tag)]).toEqual([canonical, code]);
  });

  it.each(['zz', 'english', '', 'e', 'en_US', 'en-'])('is unknown for %j', (tag) => {
    expect(languageCode(tag)).toBeUndefined();
  });
});
