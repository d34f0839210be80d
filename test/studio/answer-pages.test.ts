import { createAnswerPages } from '../../studio/server/answer-pages';

describe('a page that answers a form', () => {
  it('has an address of its own, and the oldest is dropped', () => {
    const pages = createAnswerPages();
    const paths = Array.from({ length: 60 }, (_, number) => pages.keep({ markup: `plan ${number}`, status: 200 }));
    expect(new Set(paths).size).toBe(60);
    const found = (path: string) => pages.find(path.slice('/answers/'.length));
    expect(found(paths[59]!)).toEqual({ markup: 'plan 59', status: 200 });
    expect(found(paths[0]!)).toBeUndefined();
  });

  it('is dropped once one of its forms was carried out', () => {
    const pages = createAnswerPages();
    const path = pages.keep({ markup: '<input name="token" value="abc" />', status: 200 });
    pages.drop('another');
    expect(pages.find(path.slice('/answers/'.length))).toBeDefined();
    pages.drop('abc');
    expect(pages.find(path.slice('/answers/'.length))).toBeUndefined();
  });

  it('does not fill the memory', () => {
    const pages = createAnswerPages();
    const large = 'x'.repeat(6_000_000);
    const paths = [1, 2, 3].map(() => pages.keep({ markup: large, status: 200 }));
    expect(paths.map((path) => pages.find(path.slice('/answers/'.length)) !== undefined)).toEqual([false, false, true]);
  });
});
