import { type BatchPage, openRowsOf } from '../../contracts/render/batch-page';

it('a workflow gets the open rows of a page, and nothing that the page keeps beside them', () => {
  const rules = { deadlineSeconds: 60, onUnclear: 'park', retryFailed: 0, onFailure: 'fail' } as const;
  const row = { kind: 'generation', digest: 'd', shot: { model: 'm', output: 'text', ...rules } } as const;
  const page: BatchPage = {
    frozen: null,
    rows: [
      { ...row, key: 'a', isDone: false },
      { ...row, key: 'b', isDone: true },
    ],
  };
  expect(openRowsOf(page)).toEqual({ frozen: null, rows: [{ ...row, key: 'a' }] });
});
