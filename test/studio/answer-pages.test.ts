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
});
